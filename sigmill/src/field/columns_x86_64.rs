//! Columns of products, and of products and squares of four words, on every x86-64: what the assembly of several moduli has in
//! common.

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
