/* burnturn-board-avr: the firmware's own bytes on a simulated ATmega2560, kept in step with the clock on the
 * wall, for tables without a table. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "avr_table.h"
#include "bench.h"
#include "control.h"
#include "options.h"
#include "port.h"

#define CYCLES_PER_US 16
#define SLICE_US 200
#define LATE_US 200000 /* behind by more than this, time that was missed is let go */
#define MEMORY_BYTES 4096
#define OUT_MAX 512
#define LINE_AHEAD 4096

static struct avr_table *table;
static struct port port;
static bool cut;

void bench_key(uint8_t key, bool down)
{
    avr_table_key(table, key, down);
}

void bench_button(uint8_t sensor, bool sensed)
{
    avr_table_button(table, sensor, sensed);
}

void bench_seat_contact(uint8_t seat, bool closed)
{
    avr_table_seat_contact(table, seat, closed);
}

void bench_seat_counts(uint8_t seat, uint16_t counts)
{
    avr_table_seat_counts(table, seat, counts);
}

void bench_lamps(uint8_t rgb[3 * LAMPS])
{
    avr_table_lamps(table, rgb);
}

void bench_pixels(struct bench_pixels *pixels)
{
    pixels->lit = avr_table_pixels(table, pixels->rows, &pixels->brightness);
}

uint64_t bench_time_us(void)
{
    return (avr_table_cycle(table) - avr_table_started(table)) / CYCLES_PER_US;
}

void bench_restart(void)
{
    avr_table_reset(table);
}

void bench_hang(void)
{
    avr_table_hang(table);
}

void bench_cut(bool now_cut)
{
    cut = now_cut;
}

static uint64_t monotonic_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static bool line_has_room(void)
{
    return avr_table_line_waiting(table) < LINE_AHEAD;
}

static void move_line(void)
{
    static struct avr_byte traced[OUT_MAX];
    uint8_t bytes[OUT_MAX];
    uint32_t count, i;

    if (line_has_room()) {
        count = port_read(&port, bytes, sizeof bytes);
        if (count && !cut)
            avr_table_line_in(table, bytes, count);
    }
    count = avr_table_line_out(table, traced, OUT_MAX);
    for (i = 0; i < count; i++)
        bytes[i] = traced[i].byte;
    if (count && !cut)
        port_write(&port, bytes, (uint16_t)count);
}

/* A change of the memory reaches its file at the end of each slice; the file is whole at any time. */
static void save_memory(const char *path)
{
    static uint32_t saved = UINT32_MAX;
    uint8_t memory[MEMORY_BYTES];
    char beside[512];
    FILE *file;
    bool well;

    if (!path || avr_table_writes(table) == saved)
        return;
    saved = avr_table_writes(table);
    avr_table_memory(table, memory);
    snprintf(beside, sizeof beside, "%s.new", path);
    file = fopen(beside, "wb");
    well = file && fwrite(memory, 1, sizeof memory, file) == sizeof memory;
    if (file && fclose(file))
        well = false;
    if (!well || rename(beside, path))
        fprintf(stderr, "the memory file %s cannot be written: %s\n", path, strerror(errno));
}

static bool start(const struct options *options)
{
    uint8_t memory[MEMORY_BYTES];
    FILE *file = options->memory ? fopen(options->memory, "rb") : NULL;

    memset(memory, 0xFF, sizeof memory);
    if (file) {
        if (fread(memory, 1, sizeof memory, file) < sizeof memory && ferror(file))
            fprintf(stderr, "%s cannot be read whole\n", options->memory);
        fclose(file);
    }
    table = avr_table_new(options->firmware, memory);
    if (!table)
        fprintf(stderr, "%s is no firmware that can be read\n", options->firmware);
    return table != NULL;
}

/* Waits for that time; true if something came before. */
static bool wait_until(uint64_t when_us, const struct control *control)
{
    struct pollfd fds[CONTROL_CLIENTS + 2];
    int count = control_wait_fds(control, fds);
    const int line = port_wait_fd(&port);
    const uint64_t now_us = monotonic_us();
    struct timespec left = {0, 0};

    if (now_us >= when_us)
        return false;
    left.tv_nsec = (long)(when_us - now_us) * 1000;
    if (line >= 0 && line_has_room())
        fds[count++] = (struct pollfd){.fd = line, .events = POLLIN};
    return ppoll(fds, (nfds_t)count, &left, NULL) > 0;
}

int main(int count, char **words)
{
    struct options options;
    struct control control;
    uint64_t ahead_of_us;

    options_take(count, words, true, &options, &port);
    if (!control_open(&control, options.control) || !start(&options))
        return 1;
    printf("ready %s\n", port.path);
    fflush(stdout);
    ahead_of_us = monotonic_us();
    while (!options_end()) {
        if (port_attend(&port) && options.restarts)
            avr_table_reset(table);
        move_line();
        control_attend(&control);
        if (wait_until(ahead_of_us, &control))
            continue; /* something came before it was time to go on */
        if (!avr_table_run(table, SLICE_US * CYCLES_PER_US)) {
            fprintf(stderr, "the firmware crashed\n");
            return 1;
        }
        ahead_of_us += SLICE_US;
        save_memory(options.memory);
        if (monotonic_us() > ahead_of_us + LATE_US)
            ahead_of_us = monotonic_us();
    }
    control_close(&control);
    port_close(&port);
    avr_table_free(table);
    return 0;
}
