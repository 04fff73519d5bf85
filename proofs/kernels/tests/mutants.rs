//! Kernels of the shipped text are proven, and changed copies of their code are not.
//!
//! The text is assembled by `gcc`, or taken from the object file that `KERNELS_TEXT` names.

use std::path::PathBuf;
use std::process::Command;

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};
use kernels::image::Image;
use kernels::kernel::{Find, Kernel};
use kernels::template::Names;

fn text() -> Image {
    let object = std::env::var_os("KERNELS_TEXT").map(PathBuf::from).unwrap_or_else(|| {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let object = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("core.o");
        let done = Command::new("gcc")
            .args(["-c", "-o"])
            .arg(&object)
            .arg(root.join("go/internal/core/sigmill_linux_amd64.S"))
            .status()
            .expect("gcc assembles the text");
        assert!(done.success(), "gcc failed on the text");
        object
    });
    Image::parse(&std::fs::read(object).expect("the object file")).expect("an object file")
}

fn kernel(name: &str) -> Kernel {
    kernels::kernels::all().into_iter().find(|k| k.name == name).expect("a kernel")
}

/// A neighbour of an instruction: left out, with another register, number, or flag.
fn changed(i: &Instruction, kind: usize) -> Option<Instruction> {
    let mut j = *i;
    match kind {
        0 => {
            j = Instruction::new();
            j.set_code(Code::Nopd);
            j.set_len(i.len());
            j.set_ip(i.ip());
        }
        1 => {
            let n = (0..i.op_count()).rfind(|&n| i.op_kind(n) == OpKind::Register)?;
            let other = match i.op_register(n) {
                Register::R9 => Register::R10,
                Register::R10 => Register::R9,
                r if r.size() == 8 => Register::R9,
                _ => return None,
            };
            j.set_op_register(n, other);
        }
        2 if i.op_count() > 0 && i.op_kind(i.op_count() - 1) == OpKind::Memory => {
            j.set_memory_displacement64(i.memory_displacement64() ^ 8);
        }
        2 => {
            let n = i.op_count().checked_sub(1)?;
            let x = i.try_immediate(n).ok()?;
            j.try_set_immediate_u64(n, x ^ 1).ok()?;
        }
        _ => j.set_code(match i.code() {
            Code::Adcx_r64_rm64 => Code::Adox_r64_rm64,
            Code::Adox_r64_rm64 => Code::Adcx_r64_rm64,
            Code::Adc_rm64_r64 => Code::Add_rm64_r64,
            Code::Add_rm64_r64 => Code::Adc_rm64_r64,
            Code::Adc_rm64_imm8 => Code::Add_rm64_imm8,
            Code::Sbb_rm64_imm8 => Code::Sub_rm64_imm8,
            _ => return None,
        }),
    }
    (j != *i).then_some(j)
}

fn mutants_fail(name: &str, stride: usize, equivalent: &[&str]) {
    let (image, kernel) = (text(), kernel(name));
    let proof = kernel.prove(&image).expect("the kernel is proven");
    let Find::Function(_) = kernel.find else { panic!("{name} is no function") };
    let function = image.functions().iter().find(|f| f.name == proof.function).expect("it");
    let range = (function.start, function.start + function.size);
    let code = image.code(function.start, function.size).expect("its code");
    assert!(kernel.prove_code(&image, &code, range, Names::new()).is_ok());
    let idle = [Mnemonic::Nop, Mnemonic::Ret, Mnemonic::Jne];
    let (mut tried, mut proven) = (0, Vec::new());
    for (n, i) in code.values().filter(|i| !idle.contains(&i.mnemonic())).enumerate() {
        let Some(j) = changed(i, n % 4).filter(|_| n % stride == 0) else { continue };
        let mut mutant = code.clone();
        mutant.insert(i.ip(), j);
        tried += 1;
        let what = format!("{i} -> {j}");
        let same = equivalent.contains(&what.as_str());
        if kernel.prove_code(&image, &mutant, range, Names::new()).is_ok() && !same {
            proven.push(format!("{:x} {what}", i.ip() - function.start));
        }
    }
    println!("{name}: {tried} mutants");
    assert!(tried > 8, "{name}: {tried} mutants are too few to say anything");
    assert!(proven.is_empty(), "{name}: of {tried} mutants these are proven: {proven:#?}");
}

#[test]
fn no_mutant_of_a_product_is_proven() {
    // both flags are clear there, and both carries go into r10
    mutants_fail("25519 mul adx", 1, &["adcx r9,rax -> adox r9,rax"]);
}

#[test]
fn no_mutant_of_a_square_is_proven() {
    // rdx holds r9; both flags are clear, and both carries go into r12
    let equal = ["mulx rcx,rax,rdx -> mulx rcx,rax,r9", "adcx r8,rax -> adox r8,rax"];
    mutants_fail("25519 square adx", 1, &equal);
}

#[test]
fn no_mutant_of_a_power_is_proven() {
    // the addition before leaves no carry
    mutants_fail("25519 power adx", 1, &["add rcx,rcx -> adc rcx,rcx"]);
}

#[test]
fn no_mutant_of_a_montgomery_product_is_proven() {
    mutants_fail("p256 mul adx", 2, &[]);
}
