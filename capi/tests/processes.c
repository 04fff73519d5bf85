/*
 * Sixteen threads that call everything at once; a child after fork, before and after the first call; two children of
 * one parent, whose random bytes differ.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "everything.h"
#include "test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16, TIMES = 6 };

static void *work(void *argument) {
  unsigned number = *(unsigned *)argument, i;
  for (i = 0; i < TIMES; i++) {
    int line = everything(number * TIMES + i);
    if (line != 0) {
      *(unsigned *)argument = 1000000 + (unsigned)line;
      return argument;
    }
  }
  return NULL;
}

static void many_threads(void) {
  pthread_t threads[THREADS];
  unsigned numbers[THREADS];
  int i;
  for (i = 0; i < THREADS; i++) {
    numbers[i] = (unsigned)i;
    CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
  }
  for (i = 0; i < THREADS; i++) {
    void *result;
    CHECK(pthread_join(threads[i], &result) == 0);
    if (result != NULL) fprintf(stderr, "everything.h:%u\n", numbers[i] - 1000000);
    CHECK(result == NULL);
  }
}

/* In a child: everything, and a key that goes to the parent. */
static void in_a_child(uint8_t seed[32]) {
  int ends[2], status = -1;
  pid_t child;
  CHECK(pipe(ends) == 0);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    uint8_t made[64];
    int line = everything(5);
    if (line != 0) fprintf(stderr, "everything.h:%d, in a child\n", line);
    if (line != 0 || sigmill_ed25519_keygen(made, made + 32) != 0) _exit(1);
    if (write(ends[1], made, 32) != 32) _exit(2);
    _exit(0);
  }
  CHECK(read(ends[0], seed, 32) == 32);
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  uint8_t seeds[3][32];
  sigmill_cpu_limit(test_cpu());
  in_a_child(seeds[0]);
  many_threads();
  in_a_child(seeds[1]);
  in_a_child(seeds[2]);
  CHECK(memcmp(seeds[0], seeds[1], 32) != 0);
  CHECK(memcmp(seeds[1], seeds[2], 32) != 0);
  return finished("processes");
}
