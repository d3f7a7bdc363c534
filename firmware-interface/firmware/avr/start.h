/* What main() starts, part by part. */
#ifndef START_H
#define START_H

/* Set by every interrupt: the main loop has something to look at. The register's bit takes one instruction
 * and no other register. */
#include <avr/io.h>
#define WAKE() (GPIOR0 |= _BV(0))

void time_start(void);
void line_start(void);
void sensors_start(void);
void lamps_start(void);
void memory_start(void);

#endif
