// Runs instructions from states, each in the place of `slot`. A state has 34 quads: x0 to x30, NZCV in quad 32, whether another follows in quad 33.
// STATES is the file of states, and SLOTS that of instructions, of which each is `slot` and four encodings.
.macro slot a, b, c, d
1:
    ldr x0, [sp, #256]
    msr nzcv, x0
    .irp i, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    ldr x\i, [sp, #8 * \i]
    .endr
    .irp i, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29
    ldr x\i, [sp, #8 * \i]
    .endr
    ldr x30, [sp, #240]
    ldr x0, [sp]
    .inst \a, \b, \c, \d
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    str x\i, [sp, #8 * \i]
    .endr
    mrs x0, nzcv
    str x0, [sp, #256]
    ldr x1, [sp, #264]
    add sp, sp, #272
    cbnz x1, 1b
.endm
.text
.globl _start
_start:
    ldr x0, =states
    mov sp, x0
.include SLOTS
    ldr x1, =states
    ldr x2, =end
    sub x2, x2, x1
2:
    mov x0, #1
    mov x8, #64
    svc #0
    add x1, x1, x0
    subs x2, x2, x0
    b.ne 2b
    mov x0, #0
    mov x8, #93
    svc #0
    .ltorg
.data
.balign 16
states:
.incbin STATES
end:
