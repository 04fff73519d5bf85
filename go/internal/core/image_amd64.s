//go:build !purego && ((linux && (!cgo || sigmill_nocgo)) || (sigmill_untested && (darwin || windows)))

#include "textflag.h"

// What of the CPU is used. Only setCPU writes it.
GLOBL cpu<>(SB), NOPTR, $4

#include "image_tables.h"

// The library as one piece of code and constants (go/internal/image), docs/go-image.md. It begins with the function that
// it asks what of the CPU to use. Whoever walks the stack stops here: the stack is not Go's.
TEXT ·image(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	MOVL cpu<>(SB), AX
	RET
	PCALIGN $64
#include "image_words.h"
	RET

// func setCPU(features uint32)
TEXT ·setCPU(SB), NOSPLIT, $0-4
	MOVL features+0(FP), AX
	MOVL AX, cpu<>(SB)
	RET

// func features() uint32
TEXT ·features(SB), NOSPLIT, $0-4
	MOVL cpu<>(SB), AX
	MOVL AX, ret+0(FP)
	RET

// func imageAddress() (begin uintptr)
TEXT ·imageAddress(SB), NOSPLIT, $0-8
	LEAQ ·image(SB), AX
	MOVQ AX, begin+0(FP)
	RET

// func enter(entry uintptr, arguments unsafe.Pointer, count uintptr, top unsafe.Pointer) uint64
//
// Calls a function of the image by the System V ABI, on the stack that ends at top. Its first six arguments are in
// registers, the rest on the stack. Of what Go's code may have in registers across a call, which is SP, it keeps that: BX is
// a register that functions preserve, and BP, which Go's frames have, too.
TEXT ·enter(SB), NOSPLIT, $0-40
	MOVQ entry+0(FP), AX
	MOVQ arguments+8(FP), R12
	MOVQ count+16(FP), R13
	MOVQ top+24(FP), R11
	LEAQ ·image(SB), R10
	ADDQ R10, AX
	MOVQ SP, BX
	SUBQ $6, R13
	JLE  registers
	LEAQ 1(R13), R10
	ANDQ $~1, R10
	SHLQ $3, R10
	SUBQ R10, R11

onstack:
	MOVQ 40(R12)(R13*8), R10
	MOVQ R10, -8(R11)(R13*8)
	DECQ R13
	JNZ  onstack

registers:
	MOVQ 0(R12), DI
	MOVQ 8(R12), SI
	MOVQ 16(R12), DX
	MOVQ 24(R12), CX
	MOVQ 32(R12), R8
	MOVQ 40(R12), R9
	MOVQ R11, SP
	CALL AX
	MOVQ BX, SP
	MOVQ AX, ret+32(FP)
	RET
