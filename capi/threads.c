/*
 * sigmill_threads: tasks on POSIX threads of their own, for `struct sigmill_bulk`.
 *
 * Threads are made for the call and joined at its end; nothing outlives it. A thread that cannot be made is one that
 * does not help: its share is done by the others, at the least by the caller.
 */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#if !defined(SIGMILL_STATIC)
#define SIGMILL_STATIC
#endif
#include "sigmill.h"

#if !defined(SIGMILL_WITHOUT_BULK)

/* More threads of one call are not made. */
enum { MOST_THREADS = 256 };

#if defined(_WIN32)

int sigmill_threads(void *context, sigmill_task *task, void *state, size_t tasks) {
  size_t i;
  (void)context;
  for (i = 0; i < tasks; i++) task(state, i);
  return 0;
}

#else

#include <limits.h>
#include <pthread.h>

struct work {
  sigmill_task *task;
  void *state;
  size_t tasks;
  size_t next;
  pthread_mutex_t lock;
};

static void *take_tasks(void *argument) {
  struct work *work = argument;
  for (;;) {
    size_t number;
    pthread_mutex_lock(&work->lock);
    number = work->next < work->tasks ? work->next++ : work->tasks;
    pthread_mutex_unlock(&work->lock);
    if (number == work->tasks) return NULL;
    work->task(work->state, number);
  }
}

int sigmill_threads(void *context, sigmill_task *task, void *state, size_t tasks) {
  const size_t *threads = context;
  size_t wanted = threads != NULL && *threads > 0 && *threads < tasks ? *threads : tasks;
  pthread_t others[MOST_THREADS];
  size_t made = 0;
  pthread_attr_t attributes;
  const pthread_attr_t *chosen = NULL;
  struct work work;
  work.task = task;
  work.state = state;
  work.tasks = tasks;
  work.next = 0;
  if (pthread_mutex_init(&work.lock, NULL) != 0) return -1;
  if (pthread_attr_init(&attributes) == 0) {
    /* the library's part, and as much for the system's */
    size_t size = 2 * SIGMILL_STACK_BULK;
#if defined(PTHREAD_STACK_MIN)
    if (size < (size_t)PTHREAD_STACK_MIN) size = (size_t)PTHREAD_STACK_MIN;
#endif
    if (pthread_attr_setstacksize(&attributes, size) == 0) chosen = &attributes;
  }
  while (made + 1 < wanted && made < MOST_THREADS) {
    if (pthread_create(&others[made], chosen, take_tasks, &work) != 0) break;
    made++;
  }
  take_tasks(&work);
  while (made > 0) pthread_join(others[--made], NULL);
  if (chosen != NULL) pthread_attr_destroy(&attributes);
  pthread_mutex_destroy(&work.lock);
  return 0;
}

#endif
#endif
