/* Of a text that was emitted with LANES=given: what of the CPU is used is not found out and kept by the library, which
 * has then no data that changes, but said by the program. Bits are those of enum sigmill_cpu. */
#include <stdint.h>

/* Given by the program, and asked in nearly every call: some of what sigmill_cpu_detect returns, always the same while
 * calls run. */
extern uint32_t sigmill_cpu_given(void);
/* The features of this CPU. */
uint32_t sigmill_cpu_detect(void);
