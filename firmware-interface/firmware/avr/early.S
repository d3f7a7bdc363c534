/* Before anything else of C: after a watchdog restart the watchdog is on, and its time is short. What made
 * the controller start is kept for time.c. */
#include <avr/io.h>

        .section .init3, "ax", @progbits
        in      r24, _SFR_IO_ADDR(MCUSR)
        sts     flags_at_start, r24
        out     _SFR_IO_ADDR(MCUSR), r1 ; r1 is zero from .init2 on
        wdr
        ldi     r24, _BV(WDCE) | _BV(WDE)
        sts     _SFR_MEM_ADDR(WDTCSR), r24
        sts     _SFR_MEM_ADDR(WDTCSR), r1
