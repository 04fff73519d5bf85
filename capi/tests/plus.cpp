// The header as C++17, and everything called from it; by other compilers, linkers and flags, too.
#include "everything.h"

#include <cstdio>
#include <type_traits>

static_assert(std::is_standard_layout<sigmill_table>::value, "the table is C's");
static_assert(std::is_trivial<sigmill_ed25519_prepared>::value, "objects are C's");
static_assert(std::is_same<decltype(&sigmill_version), uint32_t (*)()>::value, "a function of C");

int main() {
  for (unsigned i = 0; i < 3; i++) {
    int line = everything(i);
    if (line != 0) {
      std::fprintf(stderr, "everything.h:%d\n", line);
      return 1;
    }
  }
  std::printf("%-14s 3 runs\n", "C++");
  return 0;
}
