// A plugin of QEMU that follows secrets through a program for aarch64, as Memcheck does on x86-64: registers and memory
// have a shadow, a bit of which is set where the value depends on a secret. A conditional jump, an indirect jump, an
// address or an operand of a division with a shadow is a fault, whether or not the jump is taken.
//
// `tools/follow-secrets` writes the table of instructions (argument `table`): the plugin knows no encodings. The marks
// that make memory secret or public are in `sigmill/src/ct.rs`.
//
// A conditional select is of the operand that it selects. Version 1 of the interface shows no registers: QEMU runs with
// -singlestep, so that all of them are in memory between two instructions, where the register that QEMU's code generator
// keeps for it points to (rbp on x86-64; compiled with -ffixed-bp). Each select is compared with what came of it, so that a QEMU
// that has them elsewhere is found out.
//
// Shadows are bit by bit for moves, logical operations and shifts, from the lowest bit on upwards for sums, and all or
// nothing for the rest. Other values are not looked at, so more is taken for secret than Memcheck would, never less.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the part of QEMU's interface that is used: version 1, since QEMU 4.2
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*executed)(unsigned vcpu, void *);
typedef void (*accessed)(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t address, void *);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, translated);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, executed, int, void *);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, accessed, int, int, void *);
extern unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
extern bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

typedef unsigned __int128 bits;

// as in tools/follow-secrets
enum kind { NOTHING, CLEAR, ALL, BITWISE, SUM, FIELD, EXTRACT, SELECT, LOAD, STORE, JUMP, DIVISION, UNKNOWN, SIGN, EXCHANGE, KINDS };
enum { WRITES_FLAGS = 1, READS_FLAGS = 2, SIGNED = 4, KEEPS = 8, MASKED = 16, SPREADS = 32, STATUS = 64 };
enum { CSEL, CSINC, CSINV, CSNEG, CSET, CSETM };
enum { REGISTERS = 66, STACK = 31, FLAGS = 32, SOURCES = 5, DESTINATIONS = 4 };

struct instruction {
  uint64_t pc;
  unsigned kind, how;
  unsigned destinations, d[DESTINATIONS], d_width;
  unsigned sources, s[SOURCES], s_width[SOURCES]; // of loads and stores: the registers of the address
  unsigned shift, amount;                         // of the last source
  uint64_t mask;                                  // of what is looked at: constants of `and`, the bit of `tbz`
  unsigned from, width, to;                       // of FIELD
  bool reported, handled;
};

struct access {
  uint64_t address;
  unsigned size;
  bool store;
};

/// The beginning of QEMU's CPUARMState.
struct state {
  uint32_t r[16];
  uint64_t x[32], pc;
  uint32_t other[50];
  uint32_t carry, overflow, negative, zero; // the sign bit; the sign bit; 0 if set
};
_Static_assert(offsetof(struct state, carry) == 528, "as in QEMU 7.2");

static struct cpu {
  bits shadow[REGISTERS];
  struct instruction *pending;
  struct access access[16];
  unsigned accesses;
  bool selects_first;
  uint64_t operands[SOURCES];
  uint64_t ends[2]; // read behind the first mark
  uint64_t stack;
  unsigned marked;
} cpus[8];

static struct instruction *table;
static size_t count;
static FILE *report;
static uint64_t executions, with_secrets, marks;
static unsigned places;

// ---- memory: pages with a byte of shadow for each byte

enum { PAGE = 4096, SLOTS = 1 << 16 };
static struct { uint64_t number; uint8_t *bytes; } pages[SLOTS];

static uint8_t *shadow_of(uint64_t address, bool make) {
  const uint64_t number = address / PAGE + 1;
  for (uint64_t i = number * 0x9e3779b97f4a7c15u >> 48;; i = (i + 1) % SLOTS) {
    if (pages[i].number == number) return pages[i].bytes + address % PAGE;
    if (pages[i].number == 0) {
      if (!make) return NULL;
      pages[i].number = number;
      pages[i].bytes = calloc(1, PAGE);
      return pages[i].bytes + address % PAGE;
    }
  }
}

static uint8_t read_shadow(uint64_t address) {
  const uint8_t *byte = shadow_of(address, false);
  return byte ? *byte : 0;
}

static void write_shadow(uint64_t address, uint8_t shadow) {
  uint8_t *byte = shadow_of(address, shadow != 0);
  if (byte) *byte = shadow;
}

// ---- words

static bits low(unsigned width) { return width >= 128 ? ~(bits)0 : ((bits)1 << width) - 1; }

/// From the lowest set bit on upwards: where a carry may go.
static bits upwards(bits x) { return x | -(x & -x); }

static bits sign_extended(bits x, unsigned width) { return x >> (width - 1) & 1 ? x | ~low(width) : x; }

static bits source(const struct cpu *cpu, const struct instruction *in, unsigned i) {
  bits x = cpu->shadow[in->s[i]] & low(in->s_width[i]);
  const unsigned width = in->s_width[i], n = in->amount;
  if (i + 1 < in->sources || in->shift == 0) return x;
  switch (in->shift) {
  case 1: return x << n;
  case 2: return x >> n;
  case 3: return sign_extended(x, width) >> n & low(width);
  case 4: return n ? (x >> n | x << (width - n)) & low(width) : x;
  case 5: return (x & low(in->width)) << n;
  default: return sign_extended(x & low(in->width), in->width) << n;
  }
}

static void fault(struct instruction *in, const char *what) {
  if (in->reported) return;
  in->reported = true;
  places++;
  fprintf(report, "fault %llx %s\n", (unsigned long long)in->pc, what);
}

static void access_memory(struct cpu *cpu, struct instruction *in, bool exchanges) {
  uint8_t bytes[128];
  uint64_t base = ~(uint64_t)0, end = 0;
  for (unsigned i = 0; i < cpu->accesses; i++) {
    const struct access a = cpu->access[i];
    base = a.address < base ? a.address : base;
    end = a.address + a.size > end ? a.address + a.size : end;
  }
  const unsigned total = end > base ? end - base : 0;
  if (total > sizeof bytes) return fault(in, "an access that is not understood");
  const unsigned each = in->destinations ? total / in->destinations : 0;
  if (in->kind == STORE) {
    for (unsigned i = 0; i < total; i++) {
      bits x = each && i / each < in->destinations ? cpu->shadow[in->d[i / each]] : 0;
      if (in->how & SPREADS) {
        for (unsigned k = 0; k < in->destinations; k++) x |= cpu->shadow[in->d[k]];
        write_shadow(base + i, x ? 0xff : 0);
      } else {
        write_shadow(base + i, (uint8_t)(x >> 8 * (i % each)));
      }
    }
    return;
  }
  bits all = 0;
  for (unsigned i = 0; i < total; i++) all |= bytes[i] = read_shadow(base + i);
  if (exchanges) { // what is there afterwards may be any of what came in
    for (unsigned k = 0; k < in->destinations; k++) all |= cpu->shadow[in->d[k]];
    for (unsigned i = 0; i < total; i++) write_shadow(base + i, all ? 0xff : 0);
  }
  for (unsigned k = 0; k < in->destinations; k++) {
    bits x = in->how & KEEPS ? cpu->shadow[in->d[k]] : 0;
    if (exchanges || in->how & SPREADS) {
      x = all ? low(in->d_width) : x;
    } else {
      for (unsigned i = each; i-- > 0;) x |= (bits)bytes[k * each + i] << 8 * i;
      if (in->how & SIGNED) x = sign_extended(x, 8 * each) & low(in->d_width);
    }
    if (in->d[k] < REGISTERS - 1) cpu->shadow[in->d[k]] = x;
  }
}

/// Memory below the end of the stack is nobody's: frames that begin there hold remains of others only where they
/// copy bytes that have no value.
static void leave_frames(struct cpu *cpu, uint64_t end) {
  if (end > cpu->stack && end - cpu->stack < 1 << 20)
    for (uint64_t a = cpu->stack; a < end; a++) write_shadow(a, 0);
  cpu->stack = end;
}

/// The new state of the registers and the memory that an instruction read and wrote.
static void finish(struct cpu *cpu) {
  struct instruction *in = cpu->pending;
  bits s[SOURCES], any = 0, out = 0;
  for (unsigned i = 0; i < in->sources; i++) any |= s[i] = source(cpu, in, i) & (in->how & MASKED ? in->mask : ~(bits)0);
  const bits flags = in->how & READS_FLAGS ? cpu->shadow[FLAGS] : 0;
  const bits full = low(in->d_width);
  if (any || flags) {
    with_secrets++;
    in->handled = true;
  }
  switch (in->kind) {
  case NOTHING: break;
  case CLEAR: break;
  case ALL: out = any || flags ? full : 0; break;
  case BITWISE: out = any; break;
  case SUM: out = flags ? full : upwards(any); break;
  case FIELD: {
    bits x = s[0] >> in->from & low(in->width);
    if (in->how & SIGNED) x = sign_extended(x, in->width);
    out = x << in->to;
    if (in->how & KEEPS) out |= cpu->shadow[in->d[0]] & ~(low(in->width) << in->to);
    break;
  }
  case EXTRACT: out = (s[0] << (in->d_width - in->from)) | s[1] >> in->from; break;
  case SELECT:
    if (flags) out = in->from == CSET ? 1 : full;
    else if (in->from == CSET || in->from == CSETM) out = 0;
    else out = cpu->selects_first ? s[0] : in->from == CSINC || in->from == CSNEG ? upwards(s[1]) : s[1];
    break;
  case LOAD:
  case STORE:
  case EXCHANGE:
    if (any) fault(in, "an address depends on a secret");
    if (cpu->accesses) access_memory(cpu, in, in->kind == EXCHANGE);
    if (in->how & STATUS) cpu->shadow[in->to] = 0;
    else if (in->from && cpu->accesses) leave_frames(cpu, cpu->access[0].address - in->width);
    break;
  case JUMP:
    if (any || flags) fault(in, "a jump depends on a secret");
    break;
  case DIVISION:
    if (any) fault(in, "an operand of a division depends on a secret");
    out = any ? full : 0;
    break;
  case SIGN:
    if (in->mask == 0) {
      cpu->marked = 0;
    } else if (cpu->marked == 2) {
      marks++;
      for (uint64_t a = cpu->ends[0]; a <= cpu->ends[1]; a++) write_shadow(a, in->mask == 1 ? 0xff : 0);
      cpu->marked = 3;
    }
    break;
  default: fault(in, "an instruction that is not understood");
  }
  if (in->kind != LOAD && in->kind != STORE && in->kind != EXCHANGE)
    for (unsigned i = 0; i < in->destinations; i++)
      if (in->d[i] < REGISTERS - 1) cpu->shadow[in->d[i]] = out & full;
  if (in->how & WRITES_FLAGS) cpu->shadow[FLAGS] = any || flags ? 1 : 0;
  if (in->kind == LOAD && cpu->marked < 2 && cpu->accesses == 1) cpu->ends[cpu->marked++] = cpu->access[0].address;
}

static bool holds(unsigned condition, const struct state *state) {
  const bool n = state->negative >> 31, z = state->zero == 0, c = state->carry, v = state->overflow >> 31;
  const bool is[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
  return is[condition >> 1] != (condition & 1) || condition >> 1 == 7;
}

/// Ends the program unless a select has given what the flags say.
static void compare(const struct cpu *cpu, const struct state *state) {
  const struct instruction *in = cpu->pending;
  if (in->d[0] >= STACK) return;
  const uint64_t width = (uint64_t)low(in->d_width), got = state->x[in->d[0]];
  uint64_t want = cpu->selects_first ? cpu->operands[0] : cpu->operands[1];
  if (in->from == CSET) want = cpu->selects_first;
  else if (in->from == CSETM) want = cpu->selects_first ? ~(uint64_t)0 : 0;
  else if (cpu->selects_first) {}
  else if (in->from == CSINC) want++;
  else if (in->from == CSINV) want = ~want;
  else if (in->from == CSNEG) want = -want;
  if (got != (want & width)) {
    fprintf(stderr, "taint: this QEMU keeps registers elsewhere (%llx)\n", (unsigned long long)in->pc);
    exit(3);
  }
}

static void on_instruction(unsigned vcpu, void *data) {
  const struct state *state;
  __asm__ volatile("mov %%rbp, %0" : "=r"(state));
  struct cpu *cpu = &cpus[vcpu % 8];
  const struct instruction *in = data;
  executions++;
  if (cpu->pending) {
    if (cpu->pending->kind == SELECT) compare(cpu, state);
    finish(cpu);
  }
  if (in->kind == SELECT) {
    cpu->selects_first = holds(in->to, state);
    for (unsigned i = 0; i < in->sources; i++) cpu->operands[i] = in->s[i] < STACK ? state->x[in->s[i]] : 0;
  }
  cpu->pending = data;
  cpu->accesses = 0;
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
  struct cpu *cpu = &cpus[vcpu % 8];
  (void)data;
  if (cpu->accesses == 16) abort();
  cpu->access[cpu->accesses++] =
      (struct access){address, 1u << qemu_plugin_mem_size_shift(info), qemu_plugin_mem_is_store(info)};
}

static struct instruction *at(uint64_t pc) {
  size_t from = 0, to = count;
  while (from < to) {
    const size_t middle = (from + to) / 2;
    if (table[middle].pc == pc) return &table[middle];
    if (table[middle].pc < pc) from = middle + 1;
    else to = middle;
  }
  fprintf(stderr, "taint: no instruction is known at %llx\n", (unsigned long long)pc);
  exit(3);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    void *known = at(qemu_plugin_insn_vaddr(insn));
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, 0, known);
    qemu_plugin_register_vcpu_mem_cb(insn, on_access, 0, 3, known);
  }
}

static void at_exit(qemu_plugin_id_t id, void *data) {
  (void)id, (void)data;
  size_t handled = 0, jumps = 0;
  for (size_t i = 0; i < count; i++) {
    handled += table[i].handled;
    jumps += table[i].kind == JUMP;
  }
  fprintf(report, "done %llu %llu %zu %llu %u\n", (unsigned long long)executions, (unsigned long long)with_secrets, handled,
          (unsigned long long)marks, places);
  fclose(report);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
  (void)info;
  const char *path = argc == 2 ? strchr(argv[0], '=') : NULL, *to = argc == 2 ? strchr(argv[1], '=') : NULL;
  FILE *file = path ? fopen(path + 1, "r") : NULL;
  report = to ? fopen(to + 1, "w") : NULL;
  if (!file || !report || fscanf(file, "%zu", &count) != 1 || !(table = calloc(count, sizeof *table))) return -1;
  for (size_t i = 0; i < count; i++) {
    struct instruction *in = &table[i];
    unsigned long long pc, mask;
    bool fits = fscanf(file, "%llx %u %u %u %u %u %llx %u %u %u", &pc, &in->kind, &in->how, &in->d_width, &in->shift,
                       &in->amount, &mask, &in->from, &in->width, &in->to) == 10;
    fits = fits && fscanf(file, "%u", &in->destinations) == 1 && in->destinations <= DESTINATIONS;
    for (unsigned k = 0; fits && k < in->destinations; k++) fits = fscanf(file, "%u", &in->d[k]) == 1 && in->d[k] < REGISTERS;
    fits = fits && fscanf(file, "%u", &in->sources) == 1 && in->sources <= SOURCES;
    for (unsigned k = 0; fits && k < in->sources; k++)
      fits = fscanf(file, "%u %u", &in->s[k], &in->s_width[k]) == 2 && in->s[k] < REGISTERS;
    if (!fits || in->kind >= KINDS) {
      fprintf(stderr, "taint: line %zu of the table\n", i + 2);
      return -1;
    }
    in->pc = pc, in->mask = mask;
  }
  fclose(file);
  for (unsigned i = 0; i < 8; i++) cpus[i].marked = 3;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, at_exit, NULL);
  return 0;
}
