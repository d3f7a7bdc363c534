/* Contacts and the analogue-digital converter. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "hal.h"
#include "pins.h"
#include "start.h"

static volatile uint16_t counts[SEATS];
static volatile uint8_t channel; /* being converted; SEATS: none */
static volatile bool round_over;

void sensors_start(void)
{
    KEYS_PORT = 0xFF;
    BUTTONS_LOW_PORT = 0xFF;
    BUTTONS_HIGH_PORT = BUTTONS_HIGH_MASK;
    channel = SEATS;
    /* 125 kHz: a conversion takes 104 us. The digital inputs of the pins stay on for contacts. */
    ADCSRA = _BV(ADEN) | _BV(ADIE) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
}

struct contacts hal_contacts(void)
{
    struct contacts contacts;

    contacts.keys = (uint8_t)~KEYS_PIN;
    contacts.buttons = (uint16_t)((uint8_t)~BUTTONS_LOW_PIN |
                                  (uint16_t)(~BUTTONS_HIGH_PIN & BUTTONS_HIGH_MASK) << 8);
    contacts.seats = (uint16_t)((uint8_t)~SEATS_LOW_PIN |
                                (uint16_t)(~SEATS_HIGH_PIN & SEATS_HIGH_MASK) << 8);
    return contacts;
}

void hal_pull_up_seats(uint16_t seats)
{
    SEATS_LOW_PORT = (uint8_t)seats;
    SEATS_HIGH_PORT = (uint8_t)(seats >> 8) & SEATS_HIGH_MASK;
}

static void convert(uint8_t seat)
{
    channel = seat;
    /* The supply is the reference: a potentiometer between it and ground reads the same when it sags. */
    ADMUX = (uint8_t)(_BV(REFS0) | (seat & 7));
    ADCSRB = seat & 8 ? _BV(MUX5) : 0;
    ADCSRA |= _BV(ADSC);
}

void hal_analog_start(void)
{
    if (channel == SEATS)
        convert(0);
}

ISR(ADC_vect)
{
    const uint8_t seat = channel;

    WAKE();
    counts[seat] = ADC;
    if (seat + 1 < SEATS) {
        convert((uint8_t)(seat + 1));
        return;
    }
    channel = SEATS;
    round_over = true;
}

bool hal_analog_take(uint16_t taken[SEATS])
{
    uint8_t seat;

    if (!round_over)
        return false;
    round_over = false; /* the next round is begun by the same loop that calls this */
    for (seat = 0; seat < SEATS; seat++)
        taken[seat] = counts[seat];
    return true;
}
