/* What a table has, and how this firmware names itself. */
#ifndef TABLE_H
#define TABLE_H

#define FIRMWARE_MAJOR 1
#define FIRMWARE_MINOR 0
#define FIRMWARE_PATCH 0

#define PROTOCOL_LOWEST 1
#define PROTOCOL_HIGHEST 1

#define SEATS 11
#define BUTTON_SENSORS 11
#define KEYS 8
#define LAMPS 11

#define BOARD_COLUMNS 32
#define BOARD_ROWS 8
#define BOARD_MODULES (BOARD_COLUMNS / 8)
#define BOARD_BYTES (BOARD_COLUMNS * BOARD_ROWS / 8)

#define SERIAL_NUMBER_BYTES 16
#define ADC_HIGHEST 1023

#endif
