/* The WS2812 lamps on a port's pin, the MAX7219 chain on the SPI, the lamp on the controller's board. */
#include <avr/interrupt.h>
#include <avr/io.h>

#include "hal.h"
#include "pins.h"
#include "start.h"

static volatile uint8_t command[BOARD_COMMAND_BYTES];
static volatile uint8_t command_at; /* BOARD_COMMAND_BYTES: nothing is being sent */

void lamps_start(void)
{
    LAMPS_DDR |= _BV(LAMPS_BIT);
    SIGNAL_DDR |= _BV(SIGNAL_BIT);
    BOARD_SELECT_PORT |= _BV(BOARD_SELECT_BIT);
    SPI_DDR |= _BV(BOARD_SELECT_BIT) | _BV(SPI_CLOCK_BIT) | _BV(SPI_DATA_BIT);
    /* 1 MHz, for cables; the chips take ten times that. */
    SPCR = _BV(SPE) | _BV(MSTR) | _BV(SPIE) | _BV(SPR0);
    command_at = BOARD_COMMAND_BYTES;
}

/* One lamp: 24 bits of 20 cycles (1.25 us) each, highest first. High for 6 cycles (375 ns) says 0, for 12
 * (750 ns) says 1: WS2812B data sheet, T0H 400 ns and T1H 800 ns, +-150 ns. Interrupts must be off. */
static void send_lamp(const uint8_t *wire)
{
    const uint8_t low = LAMPS_PORT & (uint8_t)~_BV(LAMPS_BIT);
    const uint8_t high = low | _BV(LAMPS_BIT);
    uint8_t first = wire[0], second = wire[1], third = wire[2];
    uint8_t bits = 24, level;

    __asm__ volatile("1: out %[port], %[high]   \n" /* cycle 0: up */
                     "   mov %[level], %[low]   \n"
                     "   sbrc %[first], 7       \n"
                     "   mov %[level], %[high]  \n"
                     "   nop                    \n"
                     "   nop                    \n"
                     "   out %[port], %[level]  \n" /* cycle 6: down for a 0 */
                     "   lsl %[third]           \n"
                     "   rol %[second]          \n"
                     "   rol %[first]           \n"
                     "   nop                    \n"
                     "   nop                    \n"
                     "   out %[port], %[low]    \n" /* cycle 12: down for a 1 */
                     "   nop                    \n"
                     "   nop                    \n"
                     "   nop                    \n"
                     "   nop                    \n"
                     "   dec %[bits]            \n"
                     "   brne 1b                \n" /* cycles 18 and 19 */
                     : [first] "+r"(first), [second] "+r"(second), [third] "+r"(third),
                       [bits] "+r"(bits), [level] "=&r"(level)
                     : [port] "I"(_SFR_IO_ADDR(LAMPS_PORT)), [high] "r"(high), [low] "r"(low));
}

/* Between two lamps the interrupts that wait are let through: a byte of the line comes every 87 us, and
 * all lamps take 350. The gap this makes is far from the 50 us that would end the picture. */
void hal_lamps(const uint8_t wire[LAMP_WIRE_BYTES])
{
    uint8_t lamp;

    for (lamp = 0; lamp < LAMPS; lamp++, wire += 3) {
        cli();
        send_lamp(wire);
        sei();
        /* After each interrupt the controller does one instruction before the next. */
        __asm__ volatile("nop\n nop\n nop\n nop\n");
    }
}

bool hal_board_ready(void)
{
    return command_at == BOARD_COMMAND_BYTES;
}

void hal_board_send(const uint8_t bytes[BOARD_COMMAND_BYTES])
{
    uint8_t at;

    for (at = 0; at < BOARD_COMMAND_BYTES; at++)
        command[at] = bytes[at];
    BOARD_SELECT_PORT &= (uint8_t)~_BV(BOARD_SELECT_BIT);
    command_at = 0;
    SPDR = command[0];
}

ISR(SPI_STC_vect)
{
    const uint8_t at = (uint8_t)(command_at + 1);

    WAKE();
    command_at = at;
    if (at < BOARD_COMMAND_BYTES)
        SPDR = command[at];
    else
        BOARD_SELECT_PORT |= _BV(BOARD_SELECT_BIT);
}

void hal_signal(bool lit)
{
    if (lit)
        SIGNAL_PORT |= _BV(SIGNAL_BIT);
    else
        SIGNAL_PORT &= (uint8_t)~_BV(SIGNAL_BIT);
}
