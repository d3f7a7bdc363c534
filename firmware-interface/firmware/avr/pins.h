/* How the table is wired to an Arduino Mega 2560. README.md says the same for the person with the
 * soldering iron; tests/firmware compares the two. */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>

/* Keys 1 to 8: D22 to D29, closed to ground. */
#define KEYS_PIN PINA
#define KEYS_PORT PORTA

/* Button sensors 1 to 8: D37 down to D30, 9 to 11: D49, D48, D47, closed to ground. */
#define BUTTONS_LOW_PIN PINC
#define BUTTONS_LOW_PORT PORTC
#define BUTTONS_HIGH_PIN PINL
#define BUTTONS_HIGH_PORT PORTL
#define BUTTONS_HIGH_MASK 0x07

/* Seat sensors 1 to 8: A0 to A7, 9 to 11: A8 to A10, contacts to ground or voltages. */
#define SEATS_LOW_PIN PINF
#define SEATS_LOW_PORT PORTF
#define SEATS_HIGH_PIN PINK
#define SEATS_HIGH_PORT PORTK
#define SEATS_HIGH_MASK 0x07

/* Lamps (WS2812), data: D5. The port must be one that `out` reaches. */
#define LAMPS_PORT PORTE
#define LAMPS_DDR DDRE
#define LAMPS_BIT PE3

/* LED board (MAX7219): DIN at D51 (MOSI), CLK at D52 (SCK), CS at D53 (SS). */
#define SPI_DDR DDRB
#define BOARD_SELECT_PORT PORTB
#define BOARD_SELECT_BIT PB0
#define SPI_CLOCK_BIT PB1
#define SPI_DATA_BIT PB2

/* The lamp on the Mega itself: D13. */
#define SIGNAL_DDR DDRB
#define SIGNAL_PORT PORTB
#define SIGNAL_BIT PB7

#endif
