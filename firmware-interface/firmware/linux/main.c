/* burnturn-board: the firmware as a Linux process, for tables without a table. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "bench.h"
#include "control.h"
#include "hal.h"
#include "max7219.h"
#include "options.h"
#include "port.h"

#define MEMORY_BYTES 4096
#define MEMORY_WRITE_US 3400
#define WATCHDOG_US 1000000
#define LINE_BUFFER 4096
#define TURNS_MAX 10000

static struct {
    struct port port;
    uint8_t in[LINE_BUFFER];
    uint16_t in_count, in_at;
    bool cut;

    uint64_t started_us;
    uint8_t reset_cause;
    uint64_t well_us; /* when the firmware last said that it is */
    bool hung;

    struct contacts contacts;
    uint16_t counts[SEATS];
    bool analog_ready;

    uint8_t lamps[LAMP_WIRE_BYTES];
    struct max7219_chain chain;

    uint8_t memory[MEMORY_BYTES];
    int memory_file; /* -1: none */
    uint64_t memory_busy_until_us;
} board;

static struct app app;

static uint64_t monotonic_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void start(uint8_t reset_cause)
{
    board.started_us = board.well_us = monotonic_us();
    board.reset_cause = reset_cause;
    board.hung = board.analog_ready = false;
    board.in_count = board.in_at = 0;
    app_init(&app);
}

/* hal.h */

uint32_t hal_now_us(void)
{
    return (uint32_t)bench_time_us();
}

uint8_t hal_reset_cause(void)
{
    return board.reset_cause;
}

int16_t hal_line_read(void)
{
    if (board.in_at == board.in_count) {
        board.in_at = 0;
        board.in_count = port_read(&board.port, board.in, sizeof board.in);
        if (board.cut)
            board.in_count = 0;
    }
    return board.in_at < board.in_count ? board.in[board.in_at++] : -1;
}

uint8_t hal_line_lost(void)
{
    return 0;
}

uint16_t hal_line_unsent(void)
{
    return 0;
}

uint16_t hal_line_room(void)
{
    return FRAME_WIRE_MAX;
}

void hal_line_write(const uint8_t *bytes, uint8_t count)
{
    if (!board.cut)
        port_write(&board.port, bytes, count);
}

struct contacts hal_contacts(void)
{
    return board.contacts;
}

void hal_pull_up_seats(uint16_t seats)
{
    (void)seats; /* a contact and a voltage do not disturb each other here */
}

void hal_analog_start(void)
{
    board.analog_ready = !board.hung;
}

bool hal_analog_take(uint16_t counts[SEATS])
{
    const bool ready = board.analog_ready;

    board.analog_ready = false;
    if (ready)
        memcpy(counts, board.counts, sizeof board.counts);
    return ready;
}

void hal_lamps(const uint8_t wire[LAMP_WIRE_BYTES])
{
    memcpy(board.lamps, wire, LAMP_WIRE_BYTES);
}

bool hal_board_ready(void)
{
    return true;
}

void hal_board_send(const uint8_t command[BOARD_COMMAND_BYTES])
{
    uint8_t at;

    for (at = 0; at < BOARD_COMMAND_BYTES; at++)
        max7219_shift(&board.chain, command[at]);
    max7219_latch(&board.chain);
}

void hal_signal(bool lit)
{
    (void)lit;
}

bool hal_memory_ready(void)
{
    return monotonic_us() >= board.memory_busy_until_us;
}

uint8_t hal_memory_read(uint16_t address)
{
    return board.memory[address];
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    board.memory[address] = byte;
    board.memory_busy_until_us = monotonic_us() + MEMORY_WRITE_US;
    if (board.memory_file >= 0 && pwrite(board.memory_file, &byte, 1, address) != 1)
        fprintf(stderr, "the memory file cannot be written: %s\n", strerror(errno));
}

void hal_watchdog(void)
{
    board.well_us = monotonic_us();
}

/* bench.h */

static void set_bit(uint16_t *mask, uint8_t number, bool on)
{
    const uint16_t bit = (uint16_t)(1U << (number - 1));

    *mask = on ? *mask | bit : *mask & (uint16_t)~bit;
}

void bench_key(uint8_t key, bool down)
{
    uint16_t keys = board.contacts.keys;

    set_bit(&keys, key, down);
    board.contacts.keys = (uint8_t)keys;
}

void bench_button(uint8_t sensor, bool sensed)
{
    set_bit(&board.contacts.buttons, sensor, sensed);
}

void bench_seat_contact(uint8_t seat, bool closed)
{
    set_bit(&board.contacts.seats, seat, closed);
}

void bench_seat_counts(uint8_t seat, uint16_t counts)
{
    board.counts[seat - 1] = counts;
}

void bench_lamps(uint8_t rgb[3 * LAMPS])
{
    int lamp;

    for (lamp = 0; lamp < LAMPS; lamp++) {
        rgb[3 * lamp] = board.lamps[3 * lamp + 1];
        rgb[3 * lamp + 1] = board.lamps[3 * lamp];
        rgb[3 * lamp + 2] = board.lamps[3 * lamp + 2];
    }
}

void bench_pixels(struct bench_pixels *pixels)
{
    max7219_show(&board.chain, pixels);
}

uint64_t bench_time_us(void)
{
    return monotonic_us() - board.started_us;
}

void bench_restart(void)
{
    start(RESET_PIN);
}

void bench_hang(void)
{
    board.hung = true;
}

void bench_cut(bool cut)
{
    board.cut = cut;
}

static bool load_memory(const char *path)
{
    memset(board.memory, 0xFF, sizeof board.memory);
    board.memory_file = -1;
    if (!path)
        return true;
    board.memory_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (board.memory_file < 0 ||
        pread(board.memory_file, board.memory, sizeof board.memory, 0) < 0 ||
        pwrite(board.memory_file, board.memory, sizeof board.memory, 0) != MEMORY_BYTES) {
        fprintf(stderr, "cannot use %s as the board's memory: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}

static void wait_for_work(const struct control *control)
{
    struct pollfd fds[CONTROL_CLIENTS + 2];
    int count = control_wait_fds(control, fds);
    const int line = port_wait_fd(&board.port);

    if (line >= 0)
        fds[count++] = (struct pollfd){.fd = line, .events = POLLIN};
    poll(fds, (nfds_t)count, 1);
}

/* Turns the main loop until it has caught up with the clock: all that while the sensors stand still. Not for
 * ever, if the line never falls silent. */
static void run_firmware(void)
{
    int turns = TURNS_MAX;

    while (turns-- && app_step(&app))
        ;
    if (monotonic_us() - board.well_us > WATCHDOG_US)
        start(WATCHDOG);
}

int main(int count, char **words)
{
    struct options options;
    struct control control;
    int seat;

    options_take(count, words, false, &options, &board.port);
    if (!control_open(&control, options.control) || !load_memory(options.memory))
        return 1;
    for (seat = 0; seat < SEATS; seat++)
        board.counts[seat] = ADC_HIGHEST / 2;
    max7219_power_on(&board.chain);
    start(POWER_ON);
    printf("ready %s\n", board.port.path);
    fflush(stdout);
    while (!options_end()) {
        if (port_attend(&board.port) && options.restarts)
            start(RESET_PIN);
        run_firmware();
        control_attend(&control);
        wait_for_work(&control);
    }
    control_close(&control);
    port_close(&board.port);
    return 0;
}
