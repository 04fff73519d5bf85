//! Prints what the standard library finds of the instructions that the library looks for.
fn main() {
    for (name, found) in [
        ("adx", is_x86_feature_detected!("adx") && is_x86_feature_detected!("bmi2")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
    ] {
        print!("{}{name} ", if found { "+" } else { "-" });
    }
}
