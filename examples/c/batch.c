/*
 * Verifies many Ed25519 signatures at once, on several threads: first on threads that the library makes for the call,
 * then as tasks of a pool that the program has anyway. Verdicts are the same, and the same as those of single calls.
 *
 *     cc batch.c $(pkg-config --cflags --libs sigmill) -pthread -o batch
 *     batch RULE THREADS FILE
 *
 * A line of FILE is PUBLIC_KEY SIGNATURE MESSAGE in hexadecimal, with `-` for no bytes at all. Bad rows are printed with
 * the reason. Ends with 0 if every row is valid, with 1 if some row is not, and with 2 if nothing could be
 * decided.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sigmill.h"

/* ---- a pool of threads, as a program may have it for everything it does ------------------------------------- */

enum { MOST_THREADS = 64 };

struct pool {
  pthread_mutex_t lock;
  pthread_cond_t work, finished;
  pthread_t threads[MOST_THREADS];
  size_t thread_count;
  int stopping;
  /* what is done at present: the next task, how many there are, and how many have returned */
  sigmill_task *task;
  void *state;
  size_t next, tasks, done;
};

/* Takes tasks while there are any. The lock is held before and after, and not while a task runs. */
static void take_tasks(struct pool *pool) {
  while (pool->next < pool->tasks) {
    size_t number = pool->next++;
    pthread_mutex_unlock(&pool->lock);
    pool->task(pool->state, number);
    pthread_mutex_lock(&pool->lock);
    if (++pool->done == pool->tasks) pthread_cond_signal(&pool->finished);
  }
}

static void *thread_of_pool(void *argument) {
  struct pool *pool = argument;
  pthread_mutex_lock(&pool->lock);
  while (!pool->stopping) {
    take_tasks(pool);
    if (!pool->stopping) pthread_cond_wait(&pool->work, &pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

static void pool_start(struct pool *pool, size_t threads) {
  memset(pool, 0, sizeof *pool);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->finished, NULL);
  /* one less: who asks for work does a part of it; where a thread cannot be made, the others do its part */
  while (pool->thread_count + 1 < threads && pool->thread_count < MOST_THREADS &&
         pthread_create(&pool->threads[pool->thread_count], NULL, thread_of_pool, pool) == 0) {
    pool->thread_count++;
  }
}

static void pool_stop(struct pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->stopping = 1;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  while (pool->thread_count > 0) pthread_join(pool->threads[--pool->thread_count], NULL);
  pthread_cond_destroy(&pool->finished);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
}

/* The callback of the library, a sigmill_run. It returns when every task has. */
static int run_in_pool(void *context, sigmill_task *task, void *state, size_t tasks) {
  struct pool *pool = context;
  pthread_mutex_lock(&pool->lock);
  pool->task = task;
  pool->state = state;
  pool->next = pool->done = 0;
  pool->tasks = tasks;
  pthread_cond_broadcast(&pool->work);
  take_tasks(pool);
  while (pool->done < tasks) pthread_cond_wait(&pool->finished, &pool->lock);
  pool->next = pool->tasks = 0;
  pthread_mutex_unlock(&pool->lock);
  return 0;
}

/* ---- the rows: three columns of byte strings, one after the other, and where each begins ------------------- */

static const char program[] = "batch";

static int undecided(const char *what, const char *why) {
  fprintf(stderr, "%s: %s: %s\n", program, what, why);
  return 2;
}

static void *grown(void *memory, size_t size) {
  memory = realloc(memory, size);
  if (memory == NULL) exit(undecided("memory", strerror(ENOMEM)));
  return memory;
}

struct strings {
  uint8_t *bytes;
  size_t size, room;
  int64_t *offsets;
  size_t rows, rows_room;
};

/* Appends a word in hexadecimal as one row. 0 if it is none. */
static int append(struct strings *strings, const char *word) {
  size_t digits, i;
  if (word == NULL) return 0;
  if (strcmp(word, "-") == 0) word = "";
  digits = strlen(word);
  if (digits % 2 != 0 || strspn(word, "0123456789abcdefABCDEF") != digits) return 0;
  if (strings->size + digits / 2 > strings->room) {
    strings->room = 2 * strings->room + digits / 2;
    strings->bytes = grown(strings->bytes, strings->room);
  }
  if (strings->rows + 1 >= strings->rows_room) {
    strings->rows_room = 2 * strings->rows_room + 64;
    strings->offsets = grown(strings->offsets, strings->rows_room * sizeof *strings->offsets);
    strings->offsets[0] = 0;
  }
  for (i = 0; i < digits; i += 2) {
    char byte[3] = {word[i], word[i + 1], 0};
    strings->bytes[strings->size++] = (uint8_t)strtoul(byte, NULL, 16);
  }
  strings->offsets[++strings->rows] = (int64_t)strings->size;
  return 1;
}

static struct sigmill_column column(const struct strings *strings) {
  struct sigmill_column column;
  memset(&column, 0, sizeof column);
  column.layout = SIGMILL_COLUMN_LARGE_BINARY;
  column.rows = strings->rows;
  column.values = strings->bytes;
  column.values_size = strings->size;
  column.offsets = strings->offsets;
  return column;
}

static int read_rows(const char *path, struct strings columns[3]) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0, number = 0;
  ssize_t size;
  int result = 0;
  if (file == NULL) return undecided(path, strerror(errno));
  while (result == 0 && (size = getline(&line, &room, file)) >= 0) {
    int whole = strlen(line) == (size_t)size; /* no zero byte in it, which would end it for the functions of strings */
    static const char space[] = " \t\r\n";
    char *rest = NULL, *key = strtok_r(line, space, &rest), *signature = strtok_r(NULL, space, &rest),
         *message = strtok_r(NULL, space, &rest);
    number++;
    if (key == NULL && whole) continue;
    if (!whole || strtok_r(NULL, space, &rest) != NULL || !append(&columns[0], key) ||
        !append(&columns[1], signature) || !append(&columns[2], message)) {
      fprintf(stderr, "%s: %s: line %lu: not three words in hexadecimal\n", program, path, (unsigned long)number);
      result = 2;
    }
  }
  if (result == 0 && ferror(file)) result = undecided(path, "cannot be read");
  free(line);
  fclose(file);
  return result;
}

/* ---- verification ------------------------------------------------------------------------------------------- */

/* Verifies the table in as many tasks, run by a function of the library's or of the caller's. */
static int verify(const struct sigmill_table *table, size_t tasks, sigmill_run *run, void *context, uint8_t *codes,
                  struct sigmill_report *report) {
  struct sigmill_bulk how;
  size_t rows = table->keys.rows, scratch_size;
  void *scratch;
  int result;
  memset(&how, 0, sizeof how);
  how.tasks = tasks;
  how.run = run;
  how.run_context = context;
  /* the library allocates nothing: it says how much it needs */
  scratch_size = sigmill_bulk_scratch_size(&how, rows, table->specs, table->spec_count);
  scratch = grown(NULL, scratch_size + 1);
  result = sigmill_bulk_verify(&how, table, codes, rows, report, scratch, scratch_size);
  free(scratch);
  return result;
}

int main(int argc, char **argv) {
  struct strings columns[3];
  struct sigmill_table table;
  struct sigmill_spec spec;
  struct sigmill_report report;
  struct pool pool;
  uint8_t *codes, *again;
  size_t threads, rows, i;
  char *end;
  int result, result_again;

  if (argc != 4) return undecided("usage", "batch RULE THREADS FILE");
  memset(&spec, 0, sizeof spec);
  spec.algorithm = SIGMILL_ED25519;
  spec.rule = sigmill_rule_from_name(argv[1]);
  if (spec.rule < 0) return undecided(argv[1], sigmill_message(spec.rule));
  threads = strtoul(argv[2], &end, 10);
  if (*end != 0 || threads < 1 || threads > MOST_THREADS) return undecided(argv[2], "not a number of threads, 1 to 64");
  memset(columns, 0, sizeof columns);
  if (read_rows(argv[3], columns) != 0) return 2;
  rows = columns[0].rows;
  if (rows == 0) return undecided(argv[3], "has no rows");

  memset(&table, 0, sizeof table);
  table.keys = column(&columns[0]);
  table.signatures = column(&columns[1]);
  table.messages = column(&columns[2]);
  table.specs = &spec;
  table.spec_count = 1;
  codes = grown(NULL, rows);
  again = grown(NULL, rows);

  result = verify(&table, threads, sigmill_threads, &threads, codes, &report);
  if (result < 0) return undecided(report.what == NULL ? argv[3] : report.what, sigmill_message(result));
  pool_start(&pool, threads);
  result_again = verify(&table, threads, run_in_pool, &pool, again, NULL);
  pool_stop(&pool);
  if (result != result_again || memcmp(codes, again, rows) != 0) return undecided("verdicts", "differ between the two runs");

  for (i = 0; i < rows; i++) {
    if (codes[i] != 0) {
      printf("row %lu: %s (%s)\n", (unsigned long)i + 1, sigmill_reason_name(codes[i]), sigmill_message(codes[i]));
    }
  }
  printf("%lu rows under %s: %lu valid, %lu invalid; %lu of them by equations of many rows; the same from our own pool\n",
         (unsigned long)rows, argv[1], (unsigned long)report.valid, (unsigned long)report.invalid,
         (unsigned long)report.combined);
  for (i = 0; i < 3; i++) {
    free(columns[i].bytes);
    free(columns[i].offsets);
  }
  free(codes);
  free(again);
  return result == 0 ? 0 : 1;
}
