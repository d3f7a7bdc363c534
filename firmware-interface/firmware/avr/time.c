/* The clock in microseconds, the watchdog, and why the controller started. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "hal.h"
#include "messages.h"
#include "start.h"

#define MILLISECOND_COUNTS (F_CPU / 8 / 1000)

static volatile uint32_t whole_us; /* advances by 1,000 with the timer's period */
static uint8_t cause;

/* Not cleared at a start: what the watchdog's interrupt left before the restart. Some boot loaders clear
 * the hardware's flags before the firmware can read them. */
static volatile uint16_t bite __attribute__((section(".noinit")));
volatile uint8_t flags_at_start __attribute__((section(".noinit"))); /* early.S */
#define BITTEN 0xB17EU

static void start_watchdog(void)
{
    wdt_reset();
    /* First its interrupt after half a second, then, half a second later, the restart. */
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE) | _BV(WDP2) | _BV(WDP0);
}

ISR(WDT_vect)
{
    WAKE();
    bite = BITTEN;
}

void time_start(void)
{
    /* PORF, EXTRF, BORF and WDRF are the protocol's 1, 2, 4 and 8. */
    cause = flags_at_start & 0x0F;
    if (bite == BITTEN && !(cause & POWER_ON))
        cause |= WATCHDOG;
    bite = 0;
    TCCR1A = 0;
    OCR1A = MILLISECOND_COUNTS - 1;
    TIMSK1 = _BV(OCIE1A);
    TCCR1B = _BV(WGM12) | _BV(CS11); /* counts half microseconds, from 0 to OCR1A */
    start_watchdog();
}

ISR(TIMER1_COMPA_vect)
{
    WAKE();
    whole_us += 1000;
}

uint32_t hal_now_us(void)
{
    uint32_t us;
    uint16_t counts;

    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        us = whole_us;
        counts = TCNT1;
        /* Has the period ended while the interrupt had to wait? */
        if (TIFR1 & _BV(OCF1A) && counts < MILLISECOND_COUNTS / 2)
            us += 1000;
    }
    return us + (counts >> 1);
}

uint8_t hal_reset_cause(void)
{
    return cause;
}

/* Once it has bitten there is no way back: what stood still for half a second is not well. */
void hal_watchdog(void)
{
    if (bite != BITTEN)
        wdt_reset();
}
