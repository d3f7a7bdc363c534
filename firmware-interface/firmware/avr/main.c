/* The firmware for an Arduino Mega 2560. */
#include <avr/interrupt.h>

#include "app.h"
#include "start.h"

static struct app app;

int main(void)
{
    time_start();
    memory_start();
    sensors_start();
    lamps_start();
    line_start();
    sei();
    app_init(&app);
    for (;;)
        app_step(&app);
}
