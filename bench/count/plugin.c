/* A plugin of QEMU that counts executed instructions in a file: eight bytes, in the host's order of bytes, which the
 * program in the emulator can read while it runs. Usage: qemu-ARCH -plugin plugin.so,counter=PATH PROGRAM
 *
 * Each block of translated code adds its instructions where it begins, so that a reading is early by the rest of the
 * block that reads. Only one thread may run between two readings: the addition is not atomic.
 *
 * The declarations are those of version 1 of QEMU's interface for plugins (qemu-plugin.h), which Debian does not
 * package for QEMU 7.2. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct qemu_plugin_tb;
typedef struct qemu_info_t qemu_info_t;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*on_translation)(uint64_t id, struct qemu_plugin_tb *block);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, on_translation callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum qemu_plugin_op op, void *place,
                                              uint64_t addend);

EXPORTED int qemu_plugin_version = 1;

static uint64_t *counter;

static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, counter,
                                             qemu_plugin_tb_n_insns(block));
}

EXPORTED int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv) {
    static const char option[] = "counter=";
    (void)info;
    if (argc != 1 || strncmp(argv[0], option, sizeof option - 1) != 0) {
        fprintf(stderr, "plugin: needs one argument, counter=PATH; got %d\n", argc);
        return 1;
    }
    const char *path = argv[0] + sizeof option - 1;
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, sizeof *counter) != 0) {
        perror(path);
        return 1;
    }
    counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (counter == MAP_FAILED) {
        perror(path);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
