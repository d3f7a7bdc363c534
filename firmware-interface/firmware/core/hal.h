/* What a board must offer. Nothing here waits. */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "inputs.h"
#include "lamps.h"
#include "table.h"

uint32_t hal_now_us(void); /* since the start; wraps */
uint8_t hal_reset_cause(void); /* bits of enum reset_cause */

/* The line to the host. */
int16_t hal_line_read(void);       /* the next byte, -1 if none has come */
uint8_t hal_line_lost(void);       /* how many bytes were lost since the last call, 255 at most */
uint16_t hal_line_unsent(void);    /* bytes that have not left yet */
uint16_t hal_line_room(void);      /* bytes that `hal_line_write` takes */
void hal_line_write(const uint8_t *bytes, uint8_t count); /* at most as many as there is room for */

/* Sensors and keys. */
struct contacts hal_contacts(void);
void hal_pull_up_seats(uint16_t seats); /* these seats have contacts, the others voltages */
void hal_analog_start(void);            /* begins a round through all seats */
bool hal_analog_take(uint16_t counts[SEATS]); /* true once a round is over, for each round once */

/* Lamps and LED board. */
void hal_lamps(const uint8_t wire[LAMP_WIRE_BYTES]);
bool hal_board_ready(void);
void hal_board_send(const uint8_t command[BOARD_COMMAND_BYTES]);
void hal_signal(bool lit); /* the lamp on the microcontroller's own board */

/* Memory without power. Reading and writing are for times when it is ready. */
bool hal_memory_ready(void);
uint8_t hal_memory_read(uint16_t address);
void hal_memory_write(uint16_t address, uint8_t byte);

void hal_watchdog(void); /* all is well: do not restart */

#endif
