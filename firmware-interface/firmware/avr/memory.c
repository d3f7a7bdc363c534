/* The EEPROM, a byte at a time. A write takes 3.3 ms, and nobody waits for it. */
#include <avr/io.h>
#include <util/atomic.h>

#include "hal.h"
#include "start.h"

void memory_start(void)
{
    /* A restart does not end a write that has begun. */
    while (!hal_memory_ready())
        ;
}

bool hal_memory_ready(void)
{
    return !(EECR & _BV(EEPE));
}

uint8_t hal_memory_read(uint16_t address)
{
    EEAR = address;
    EECR |= _BV(EERE);
    return EEDR;
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    EEAR = address;
    EEDR = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) /* the second bit must follow within four cycles */
    {
        EECR |= _BV(EEMPE);
        EECR |= _BV(EEPE);
    }
}
