// Gives the image's text (LANES=given) the features of the CPU when cgo calls it, so that tests need one compilation for both
// ways (go/generate, shared). The text for cgo that is shipped detects them itself.
//go:build linux && amd64 && cgo && !purego && !sigmill_nocgo

#include <stdint.h>

uint32_t sigmill_cpu_detect(void);
uint32_t sigmill_cpu_given(void);
void sigmill_cpu_limit(uint32_t features);

static uint32_t used;

uint32_t sigmill_cpu_given(void) { return used; }

void sigmill_cpu_limit(uint32_t features) { used = sigmill_cpu_detect() & features; }

__attribute__((constructor)) static void begin(void) { sigmill_cpu_limit(UINT32_MAX); }
