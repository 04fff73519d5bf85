/* The target of the compiler, in the names of the texts: the Makefile preprocesses this. */
#if defined(__x86_64__) && !defined(__ILP32__) && defined(__linux__)
"x86_64-linux"
#elif defined(__i386__) && defined(__linux__)
"i686-linux"
#elif defined(__aarch64__) && !defined(__ILP32__) && !defined(__AARCH64EB__) && defined(__linux__)
"aarch64-linux"
#elif defined(__x86_64__) && defined(__APPLE__)
"x86_64-darwin-untested"
#elif defined(__aarch64__) && defined(__APPLE__)
"aarch64-darwin-untested"
#elif defined(__x86_64__) && defined(_WIN32)
"x86_64-windows-untested"
#else
"unknown"
#endif
