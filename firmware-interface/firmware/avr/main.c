/* The firmware for an Arduino Mega 2560. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "app.h"
#include "start.h"

static struct app app;

/* Waits for the next interrupt, unless one has come since `GPIOR0` was cleared. The instruction after sei()
 * is done before any interrupt, so none can slip in between the look and the sleep. */
static void sleep(void)
{
    cli();
    if (!GPIOR0) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

int main(void)
{
    time_start();
    memory_start();
    sensors_start();
    lamps_start();
    line_start();
    sei();
    app_init(&app);
    SMCR = SLEEP_MODE_IDLE; /* timer, UART, SPI and converter go on */
    for (;;) {
        GPIOR0 = 0;
        if (!app_step(&app))
            sleep();
    }
}
