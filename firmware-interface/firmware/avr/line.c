/* UART0: 115,200 baud, 8N1, rings that the interrupts fill and empty. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "hal.h"
#include "start.h"

#define BAUD 115200UL
/* Double speed gives 117,647 baud, 2.1 % too fast, and so does the USB bridge of the Mega, which has the
 * same clock; a receiver bears 4.5 %. */
#define BAUD_DIVIDER (F_CPU / 8 / BAUD - 1)

/* 256 bytes each, so that an index wraps by itself. */
static volatile uint8_t in[256], out[256];
static volatile uint8_t in_head, in_tail, out_head, out_tail;
static volatile uint8_t lost;

void line_start(void)
{
    UBRR0 = BAUD_DIVIDER;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

ISR(USART0_RX_vect)
{
    const uint8_t status = UCSR0A; /* belongs to the byte that is read next */
    const uint8_t byte = UDR0;
    const uint8_t next = (uint8_t)(in_head + 1);

    WAKE();
    if (status & (_BV(FE0) | _BV(DOR0)) || next == in_tail) {
        if (lost != 255)
            lost++;
        if (next == in_tail)
            return;
    }
    in[in_head] = byte;
    in_head = next;
}

ISR(USART0_UDRE_vect)
{
    WAKE();
    if (out_head == out_tail) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
        return;
    }
    UDR0 = out[out_tail];
    out_tail++;
}

int16_t hal_line_read(void)
{
    int16_t byte;

    if (in_head == in_tail)
        return -1;
    byte = in[in_tail];
    in_tail++;
    return byte;
}

uint8_t hal_line_lost(void)
{
    uint8_t count;

    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        count = lost;
        lost = 0;
    }
    return count;
}

uint16_t hal_line_unsent(void)
{
    return (uint8_t)(out_head - out_tail);
}

uint16_t hal_line_room(void)
{
    return (uint8_t)(255 - (uint8_t)(out_head - out_tail));
}

void hal_line_write(const uint8_t *bytes, uint8_t count)
{
    uint8_t head = out_head;

    while (count--)
        out[head++] = *bytes++;
    out_head = head;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        UCSR0B |= _BV(UDRIE0);
    }
}
