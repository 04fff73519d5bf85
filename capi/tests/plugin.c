/*
 * A plugin: the library inside a shared object (compiled with -DPLUGIN), and a program that opens it, calls it on two
 * threads, closes it, and opens it again.
 */
#if defined(PLUGIN)
#include "everything.h"

int plugin_runs(unsigned number);
int plugin_runs(unsigned number) { return everything(number); }

#else
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int (*runs)(unsigned);

static void *work(void *argument) {
  static const char failed[] = "failed";
  (void)argument;
  return runs(3) == 0 ? NULL : (void *)failed;
}

int main(int count, char **arguments) {
  int i, j;
  if (count != 2) {
    fprintf(stderr, "usage: plugin FILE.so\n");
    return 2;
  }
  for (i = 0; i < 2; i++) {
    pthread_t threads[2];
    void *symbol, *result;
    void *plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      fprintf(stderr, "plugin: %s\n", dlerror());
      return 1;
    }
    symbol = dlsym(plugin, "plugin_runs");
    if (symbol == NULL) {
      fprintf(stderr, "plugin: %s\n", dlerror());
      return 1;
    }
    memcpy(&runs, &symbol, sizeof runs);
    for (j = 0; j < 2; j++) {
      if (pthread_create(&threads[j], NULL, work, NULL) != 0) return 2;
    }
    for (j = 0; j < 2; j++) {
      if (pthread_join(threads[j], &result) != 0 || result != NULL) {
        fprintf(stderr, "plugin: a call in the plugin failed\n");
        return 1;
      }
    }
    if (runs((unsigned)i) != 0) {
      fprintf(stderr, "plugin: a call in the plugin failed\n");
      return 1;
    }
    dlclose(plugin);
  }
  printf("%-14s 6 runs\n", "plugin");
  return 0;
}
#endif
