/* What main() starts, part by part. */
#ifndef START_H
#define START_H

void time_start(void);
void line_start(void);
void sensors_start(void);
void lamps_start(void);
void memory_start(void);

#endif
