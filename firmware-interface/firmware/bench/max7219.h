/* Four MAX7219 in a chain as the data sheet has them: what they show of the bytes they were sent. */
#ifndef MAX7219_H
#define MAX7219_H

#include "bench.h"

#define MAX7219_REGISTERS 16

struct max7219_chain {
    uint8_t registers[BOARD_MODULES][MAX7219_REGISTERS]; /* leftmost chip first */
    uint8_t shifted[2 * BOARD_MODULES];                  /* what lies in the chain, oldest first */
};

void max7219_power_on(struct max7219_chain *chain);
void max7219_shift(struct max7219_chain *chain, uint8_t byte);
void max7219_latch(struct max7219_chain *chain); /* chip select goes high */
void max7219_show(const struct max7219_chain *chain, struct bench_pixels *pixels);

#endif
