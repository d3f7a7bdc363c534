#include "fake_hal.h"

#include <string.h>

struct fake fake;

void fake_reset(void)
{
    memset(&fake, 0, sizeof fake);
    memset(fake.memory, 0xFF, sizeof fake.memory);
    fake.reset_cause = 1;
    fake.writes_left = UINT32_MAX;
}

uint32_t hal_now_us(void)
{
    return fake.now_us;
}

uint8_t hal_reset_cause(void)
{
    return fake.reset_cause;
}

int16_t hal_line_read(void)
{
    return fake.in_at < fake.in_count ? fake.in[fake.in_at++] : -1;
}

uint8_t hal_line_lost(void)
{
    const uint8_t lost = fake.lost;

    fake.lost = 0;
    return lost;
}

uint16_t hal_line_unsent(void)
{
    return fake.unsent;
}

uint16_t hal_line_room(void)
{
    return 255;
}

void hal_line_write(const uint8_t *bytes, uint8_t count)
{
    if (fake.out_count + count > FAKE_LINE)
        fake.out_count = 0;
    memcpy(fake.out + fake.out_count, bytes, count);
    fake.out_count += count;
}

struct contacts hal_contacts(void)
{
    return fake.contacts;
}

void hal_pull_up_seats(uint16_t seats)
{
    fake.pulled_up = seats;
}

void hal_analog_start(void)
{
    fake.analog_ready = !fake.analog_dead;
}

bool hal_analog_take(uint16_t counts[SEATS])
{
    const bool ready = fake.analog_ready;

    fake.analog_ready = false;
    if (ready)
        memcpy(counts, fake.counts, sizeof fake.counts);
    return ready;
}

void hal_lamps(const uint8_t wire[LAMP_WIRE_BYTES])
{
    memcpy(fake.lamps, wire, LAMP_WIRE_BYTES);
    fake.lamps_sent++;
}

bool hal_board_ready(void)
{
    return true;
}

void hal_board_send(const uint8_t command[BOARD_COMMAND_BYTES])
{
    memcpy(fake.commands[fake.board_sent++ % 64], command, BOARD_COMMAND_BYTES);
}

void hal_signal(bool lit)
{
    fake.signal = lit;
}

bool hal_memory_ready(void)
{
    return true;
}

uint8_t hal_memory_read(uint16_t address)
{
    return fake.memory[address];
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    if (fake.cut)
        return;
    if (!fake.writes_left) {
        fake.cut = true;
        fake.memory[address] = 0xFF; /* erased, and not programmed any more */
        return;
    }
    fake.writes_left--;
    fake.memory[address] = fake.worn ? byte & 0x0F : byte;
}

void hal_watchdog(void)
{
    fake.kicks++;
}
