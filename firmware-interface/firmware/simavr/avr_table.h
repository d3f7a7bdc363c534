/* A table around a simulated ATmega2560 (libsimavr): the firmware's own bytes run on it, cycle by cycle,
 * and time is what the cycles make of it. Numbers of keys, sensors, seats and lamps begin at 1.
 *
 * tests/firmware reads the declarations of this file as they stand: no preprocessor, one a line or more. */
#ifndef AVR_TABLE_H
#define AVR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct avr_table;

struct avr_edge { uint64_t cycle; uint8_t level; };
struct avr_byte { uint64_t cycle; uint8_t byte; };

/* `memory` fills the EEPROM (4,096 bytes); null: erased. Null if the file is no firmware. */
struct avr_table *avr_table_new(const char *elf_path, const uint8_t *memory);
void avr_table_free(struct avr_table *table);

/* Runs on for so many cycles (16 a microsecond). False if the controller crashed. */
bool avr_table_run(struct avr_table *table, uint64_t cycles);
uint64_t avr_table_cycle(const struct avr_table *table);

/* Runs until the EEPROM's write with that number (counted from the simulation's start, from 1) has begun, for
 * at most so many cycles. True if it has; the byte is in the EEPROM's cell then, whole. */
bool avr_table_run_to_write(struct avr_table *table, uint32_t number, uint64_t cycles);
uint32_t avr_table_writes(const struct avr_table *table);
uint16_t avr_table_written_address(const struct avr_table *table);

/* The line. Bytes go in one after the other at the line's rate. What the controller has not fetched by
 * the time that a third byte is complete is overwritten, as in the real UART, and counted. */
void avr_table_line_rate(struct avr_table *table, uint32_t cycles_per_byte);
void avr_table_line_in(struct avr_table *table, const uint8_t *bytes, uint32_t count);
uint32_t avr_table_line_waiting(const struct avr_table *table);
uint64_t avr_table_line_last_in(const struct avr_table *table);
uint32_t avr_table_line_out(struct avr_table *table, struct avr_byte *bytes, uint32_t most);
uint32_t avr_table_overruns(const struct avr_table *table);

void avr_table_key(struct avr_table *table, uint8_t key, bool down);
void avr_table_button(struct avr_table *table, uint8_t sensor, bool sensed);
void avr_table_seat_contact(struct avr_table *table, uint8_t seat, bool closed);
void avr_table_seat_counts(struct avr_table *table, uint8_t seat, uint16_t counts);

/* A contact between a pin ('A' to 'L', 0 to 7) and ground. */
void avr_table_contact(struct avr_table *table, char port, uint8_t bit, bool closed);

/* What came out since the last call: edges of the lamps' data pin; bytes on the SPI, and, `latched`, the
 * moments at which the LED board's chip select went high. */
uint32_t avr_table_lamp_edges(struct avr_table *table, struct avr_edge *edges, uint32_t most);
uint32_t avr_table_spi(struct avr_table *table, struct avr_byte *bytes, bool *latched, uint32_t most);

/* What the lamps show: red, green, blue of each; what the LED board shows. */
void avr_table_lamps(const struct avr_table *table, uint8_t *rgb);
bool avr_table_pixels(const struct avr_table *table, uint8_t *rows, uint8_t *brightness);

void avr_table_memory(struct avr_table *table, uint8_t *memory);

/* The reset pin. The simulation's cycles go on counting. */
void avr_table_reset(struct avr_table *table);
uint32_t avr_table_restarts(const struct avr_table *table);
uint64_t avr_table_started(const struct avr_table *table);

/* Makes the main loop turn on the spot for ever, until a restart. Interrupts go on. */
void avr_table_hang(struct avr_table *table);

/* Data memory as the controller sees it, registers included. */
uint8_t avr_table_peek(const struct avr_table *table, uint16_t address);
void avr_table_poke(struct avr_table *table, uint16_t address, uint8_t byte);

/* The deepest that the stack has reached since it was told to watch, in bytes. Watching takes time. */
void avr_table_watch_stack(struct avr_table *table);
uint16_t avr_table_stack(const struct avr_table *table);

#endif
