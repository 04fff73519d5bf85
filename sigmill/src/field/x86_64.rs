//! Assembly that several moduli have in common: columns of products and squares, and sums of words modulo a prime.

/// A function in assembly alone, for products: they need every register, and the compiler keeps some of them from inline
/// assembly. Its comment is the contract: inputs, output, and the registers that change.
macro_rules! naked {
    ($(#[$doc:meta])* fn $name:ident: $($text:expr),+ $(,)?) => {
        $(#[$doc])*
        #[allow(unsafe_code)]
        // SAFETY: the function that calls it knows what it takes, and names the registers that change.
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!($($text),+)
        }
    };
}

/// Adds a word of x times a word of y to the column in `low` and `high`, whose carries are in `top`.
#[rustfmt::skip]
macro_rules! add_to_column {
    ($x:literal, $y:literal, $low:literal, $high:literal, $top:literal) => {
        concat!(
            "mov rax, [rdi + ", $x, "]\n",
            "mul qword ptr [rsi + ", $y, "]\n",
            "add ", $low, ", rax\n",
            "adc ", $high, ", rdx\n",
            "adc ", $top, ", 0\n",
        )
    };
}

/// A column: products of words of x, which rdi points to, and of y, which rsi points to. What they carry is in `high` and `top`,
/// the next two.
#[rustfmt::skip]
macro_rules! column_of_product {
    ($low:literal, $high:literal, $top:literal; $($x:literal $y:literal),*) => {
        concat!("xor ", $top, ", ", $top, "\n", $(add_to_column!($x, $y, $low, $high, $top),)*)
    };
}

/// Column by column: rdi points to x, rsi to y; the product is left in r8 to r15. Changes rax and rdx.
#[rustfmt::skip]
macro_rules! columns_of_product {
    () => {
        concat!(
            "mov rax, [rdi]\n", "mul qword ptr [rsi]\n", "mov r8, rax\n", "mov r9, rdx\n", "xor r10d, r10d\n",
            column_of_product!("r9", "r10", "r11"; "0" "8", "8" "0"),
            column_of_product!("r10", "r11", "r12"; "0" "16", "8" "8", "16" "0"),
            column_of_product!("r11", "r12", "r13"; "0" "24", "8" "16", "16" "8", "24" "0"),
            column_of_product!("r12", "r13", "r14"; "8" "24", "16" "16", "24" "8"),
            column_of_product!("r13", "r14", "r15"; "16" "24", "24" "16"),
            "mov rax, [rdi + 24]\n", "mul qword ptr [rsi + 24]\n", "add r14, rax\n", "adc r15, rdx\n",
        )
    };
}

/// The columns of the square of r8 to r11: r8, r12, r13, r14, r15, rsi and rdi; to the last of these rax and CF are still to be
/// added, to the next, which is rcx, rdx as well. Changes r9.
#[rustfmt::skip]
macro_rules! columns_of_square {
    () => {
        concat!(
            // products of different words: r12, r13, r14, r15, rsi, rdi
            "mov rax, r8\n", "mul r9\n", "mov r12, rax\n", "mov r13, rdx\n",
            "mov rax, r8\n", "mul r10\n", "add r13, rax\n", "adc rdx, 0\n", "mov r14, rdx\n",
            "mov rax, r8\n", "mul r11\n", "add r14, rax\n", "adc rdx, 0\n", "mov r15, rdx\n",
            "mov rax, r9\n", "mul r10\n", "add r14, rax\n", "adc rdx, 0\n", "mov rcx, rdx\n",
            "mov rax, r9\n", "mul r11\n", "add rax, rcx\n", "adc rdx, 0\n", "add r15, rax\n", "adc rdx, 0\n",
            "mov rsi, rdx\n",
            "mov rax, r10\n", "mul r11\n", "add rsi, rax\n", "adc rdx, 0\n", "mov rdi, rdx\n",
            // twice these and the squares; minus a carry in r9
            "xor ecx, ecx\n",
            "add r12, r12\n", "adc r13, r13\n", "adc r14, r14\n", "adc r15, r15\n", "adc rsi, rsi\n",
            "adc rdi, rdi\n", "adc rcx, rcx\n",
            "mov rax, r8\n", "mul rax\n", "mov r8, rax\n", "add r12, rdx\n", "sbb rdx, rdx\n",
            "mov rax, r9\n", "mov r9, rdx\n", "mul rax\n",
            "neg r9\n", "adc r13, rax\n", "adc r14, rdx\n", "sbb r9, r9\n",
            "mov rax, r10\n", "mul rax\n", "neg r9\n", "adc r15, rax\n", "adc rsi, rdx\n", "sbb r9, r9\n",
            "mov rax, r11\n", "mul rax\n", "neg r9\n",
        )
    };
}

/// Calls a naked function on four words, which it finds in r8 to r11 and leaves there, with this operand for rax. It may change
/// all registers but rbx, rbp and rsp, and write below the stack pointer.
macro_rules! call_on_words {
    ($function:ident, $x:expr, $($rax:tt)+) => {{
        let [mut z0, mut z1, mut z2, mut z3] = *$x;
        // SAFETY: the caller knows that the CPU has the function's instructions; all registers that may change are named.
        unsafe {
            asm!("call {}", sym $function, $($rax)+, out("rcx") _, out("rdx") _,
                out("rsi") _, out("rdi") _, inout("r8") z0, inout("r9") z1, inout("r10") z2,
                inout("r11") z3, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                options(pure, readonly));
        }
        [z0, z1, z2, z3]
    }};
}

/// With MULX, ADCX and ADOX: sum += rdx·y, a word of y at rcx. The low half goes to the chain of CF, the high one to that of OF.
/// Changes rax and rbx.
#[rustfmt::skip]
macro_rules! add_product_adx {
    ($y:literal, $low:literal, $high:literal) => {
        concat!(
            "mulx rbx, rax, [rcx + ", $y, "]\n",
            "adcx ", $low, ", rax\n",
            "adox ", $high, ", rbx\n",
        )
    };
}

/// `add`, `sub` and `halve` modulo p for $n words, the lowest first: of the first word its name and that of the next, of the
/// others their name, their place in bytes and the name of the next; of the last the next is m.
///
/// Inputs: x and y below p. Output: the sum, difference or half, below p. Changes: flags and three registers, m, t and u.
/// `$add_p` adds p where m is all ones and nothing where it is 0; `$subtract_p` subtracts p. Both may change t and u.
#[cfg(feature = "ecdsa")]
#[rustfmt::skip]
macro_rules! sums {
    ($n:literal, $add_p:ident, $subtract_p:ident; $first:ident $second:ident $(, $word:ident $at:literal $next:ident)+) => {
        /// `x + y` mod p for words below p.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(super) fn add(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
            let [mut $first, $(mut $word),+] = *x;
            // SAFETY: the words of y are read, and all registers that change are named.
            unsafe {
                asm!(
                    concat!("add {", stringify!($first), "}, [{y} + 0]"),
                    $(concat!("adc {", stringify!($word), "}, [{y} + ", $at, "]"),)+
                    "sbb {m}, {m}",
                    $subtract_p!(),
                    "adc {m}, 0",
                    "neg {m}",
                    $add_p!(),
                    $first = inout(reg) $first,
                    $($word = inout(reg) $word,)+
                    y = in(reg) y, m = out(reg) _, t = out(reg) _, u = out(reg) _,
                    options(pure, readonly, nostack),
                );
            }
            [$first, $($word),+]
        }

        /// `x − y` mod p for words below p.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(super) fn sub(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
            let [mut $first, $(mut $word),+] = *x;
            // SAFETY: the words of y are read, and all registers that change are named.
            unsafe {
                asm!(
                    concat!("sub {", stringify!($first), "}, [{y} + 0]"),
                    $(concat!("sbb {", stringify!($word), "}, [{y} + ", $at, "]"),)+
                    "sbb {m}, {m}",
                    $add_p!(),
                    $first = inout(reg) $first,
                    $($word = inout(reg) $word,)+
                    y = in(reg) y, m = out(reg) _, t = out(reg) _, u = out(reg) _,
                    options(pure, readonly, nostack),
                );
            }
            [$first, $($word),+]
        }

        /// `x/2` mod p for words below p.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(super) fn halve(x: &[u64; $n]) -> [u64; $n] {
            let [mut $first, $(mut $word),+] = *x;
            // SAFETY: all registers that change are named.
            unsafe {
                asm!(
                    concat!("mov {m}, {", stringify!($first), "}"),
                    "and {m}, 1",
                    "neg {m}",
                    $add_p!(),
                    "sbb {m}, {m}",
                    concat!("shrd {", stringify!($first), "}, {", stringify!($second), "}, 1"),
                    $(concat!("shrd {", stringify!($word), "}, {", stringify!($next), "}, 1"),)+
                    $first = inout(reg) $first,
                    $($word = inout(reg) $word,)+
                    m = out(reg) _, t = out(reg) _, u = out(reg) _,
                    options(pure, nomem, nostack),
                );
            }
            [$first, $($word),+]
        }
    };
}
