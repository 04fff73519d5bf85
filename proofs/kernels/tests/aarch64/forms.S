// Instructions that have rules, in forms that no kernel has.
.text
.globl forms
.type forms, %function
forms:
0:
    add w3, w4, w5
    add w3, w4, #77
    add x3, x4, #77, lsl #12
    adds w3, w4, w5
    adds w3, w4, #4095
    adds xzr, x4, x5
    adds x3, x4, x5, lsl #9
    adds x3, x4, x5, lsr #9
    adds x3, x4, x5, asr #9
    adds w3, w4, w5, lsl #9
    adds w3, w4, w5, lsr #9
    sub w3, w4, w5
    sub w3, w4, #77
    sub x3, x4, x5, lsr #17
    subs w3, w4, w5
    subs w3, w4, #77
    subs x3, x3, x3
    subs x3, xzr, x4
    adc w3, w4, w5
    adc x3, x3, x3
    adcs w3, w4, w5
    adcs x3, x4, x5
    sbc w3, w4, w5
    sbc x3, x4, x5
    sbcs w3, w4, w5
    sbcs x3, xzr, xzr
    sbcs x3, x4, x4
    madd x3, x4, x5, x6
    madd x3, x4, x4, x3
    madd w3, w4, w5, w6
    msub x3, x4, x5, x6
    msub w3, w4, w5, w6
    umaddl x3, w4, w5, x6
    umull x3, w4, w5
    umulh x3, x3, x4
    and x3, x4, x5
    and w3, w4, w5
    and w3, w4, #0xff00ff00
    and x3, x4, #0x00ffff0000ffff00
    ands x3, x4, x5
    ands x3, x4, #0x7ffffffffffffffe
    ands w3, w4, #1
    bic x3, x4, x5
    bic w3, w4, w5
    bics x3, x4, x5
    bics w3, w4, w5
    mov x3, x4
    mov w3, w4
    orr x3, xzr, x4, lsl #12
    mvn x3, x4
    mvn w3, w4
    mvn x3, x4, lsr #30
    mov w3, #0xffff0000
    mov x3, #0x7ffffffffffffffe
    movz w3, #4660, lsl #16
    movz x3, #4660, lsl #48
    movn x3, #4660
    movn w3, #4660
    movn x3, #4660, lsl #32
    movk x3, #4660
    movk w3, #4660, lsl #16
    movk x3, #4660, lsl #48
    lsl x3, x4, #1
    lsl x3, x4, #63
    lsl w3, w4, #7
    lsr x3, x4, #1
    lsr x3, x4, #63
    lsr w3, w4, #7
    asr x3, x4, #1
    asr x3, x4, #63
    asr w3, w4, #31
    asr w3, w4, #5
    ubfx x3, x4, #5, #9
    ubfx x3, x4, #0, #9
    ubfx w3, w4, #5, #9
    ubfiz x3, x4, #5, #9
    ubfiz w3, w4, #5, #9
    sbfx x3, x4, #5, #9
    sbfx x3, x4, #0, #1
    sbfx w3, w4, #0, #1
    sxtw x3, w4
    extr x3, x4, x5, #1
    extr x3, x4, x5, #63
    extr x3, x4, x5, #0
    extr w3, w4, w5, #9
    ror x3, x4, #5
    csel x3, x4, x5, eq
    csel x3, x4, x5, ne
    csel x3, x4, x5, hs
    csel x3, x4, x5, lo
    csel w3, w4, w5, lo
    csinc x3, x4, x5, eq
    csinc x3, xzr, xzr, hs
    csinc w3, w4, w5, hs
    csinv x3, x4, x5, ne
    csinv x3, xzr, xzr, lo
    csinv w3, w4, w5, hs
    csneg x3, x4, x5, hs
    csneg w3, w4, w5, eq
    nop
    cbz x3, 0b
    cbnz x3, 0b
    cbz w3, 0b
    cbnz w3, 0b
    b.eq 0b
    b.ne 0b
    b.hs 0b
    b.lo 0b
.size forms, . - forms
