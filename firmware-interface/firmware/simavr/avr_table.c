#include "avr_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#include "max7219.h"

/* Gives us simavr's own look into the UART's queue. */
DEFINE_FIFO(uint16_t, uart_fifo);

#define FREQUENCY 16000000
#define MILLIVOLTS 5000
#define MEMORY_BYTES 4096
#define BYTE_CYCLES 1360 /* 117,647 baud: what the Mega's two clocks make of 115,200 */
#define IN_RING 65536
#define TRACE_RING 65536

/* A real UART holds two bytes that nobody has fetched; simavr's has one more on its way in. */
#define UNFETCHED_MOST 3

/* ATmega2560 data sheet, "Register Summary": data memory addresses. */
enum { EECR = 0x3F, EEARL = 0x41, MCUSR = 0x54, ADCSRB = 0x7B, ADMUX = 0x7C };
enum { EEPE = 1 << 1, EXTRF = 1 << 1, MUX5 = 1 << 3 };

/* Lamps: a bit is a 1 if the pin was up for longer than this; the picture is over when it was down for
 * longer than that (WS2812B data sheet: 50 us). */
#define LONG_PULSE_CYCLES 9
#define LATCH_CYCLES (50 * 16)

struct pin { char port; uint8_t bit; };

struct avr_table {
    avr_t *avr;
    avr_uart_t *uart;
    avr_adc_t *adc;
    void (*reset)(avr_t *avr);
    bool was_reset;
    uint32_t restarts;
    uint64_t started;

    uint8_t levels[12]; /* of the ports A to L, as the table's contacts make them */
    uint16_t counts[SEATS];

    uint32_t byte_cycles;
    uint8_t in[IN_RING];
    uint32_t in_head, in_tail;
    uint64_t last_in;
    bool feeding;
    uint32_t overruns;
    struct avr_byte out[TRACE_RING];
    uint32_t out_head, out_tail;

    struct avr_edge edges[TRACE_RING];
    uint32_t edge_head, edge_tail;
    uint8_t lamp_level;
    uint64_t lamp_changed;
    uint8_t lamp_bits[3 * LAMPS];
    uint16_t lamp_bit;
    uint8_t lamps[3 * LAMPS];

    struct avr_byte spi[TRACE_RING];
    bool spi_latched[TRACE_RING];
    uint32_t spi_head, spi_tail;
    struct max7219_chain chain;
    bool selected;

    uint32_t writes;
    uint16_t written_address;
    bool watches_stack;
    uint16_t lowest_stack;
    bool hung;
    uint32_t hung_at;
    uint8_t hung_over[2];
};

/* How the table is wired; README.md has the same table. */
static struct pin key_pin(uint8_t key)
{
    return (struct pin){'A', (uint8_t)(key - 1)};
}

static struct pin button_pin(uint8_t sensor)
{
    return sensor <= 8 ? (struct pin){'C', (uint8_t)(sensor - 1)}
                       : (struct pin){'L', (uint8_t)(sensor - 9)};
}

static struct pin seat_pin(uint8_t seat)
{
    return seat <= 8 ? (struct pin){'F', (uint8_t)(seat - 1)}
                     : (struct pin){'K', (uint8_t)(seat - 9)};
}

static void be_quiet(avr_t *avr, const int level, const char *format, va_list words)
{
    (void)avr, (void)level, (void)format, (void)words;
}

/* A sleeping controller's time passes at once. */
static void do_not_wait(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr, (void)cycles;
}

static avr_io_t *find_io(avr_t *avr, const char *kind, char name)
{
    avr_io_t *io;

    for (io = avr->io_port; io; io = io->next)
        if (!strcmp(io->kind, kind) && (!name || ((avr_uart_t *)io)->name == name))
            return io;
    return NULL;
}

/* Pins. A pull-up that the firmware switches on must not win over a closed contact, so simavr is told of
 * the level as an external pull, too. */
static void drive_port(struct avr_table *table, char port)
{
    const uint8_t levels = table->levels[port - 'A'];
    avr_ioport_external_t external = {.name = (unsigned long)port, .mask = 0xFF, .value = levels};
    int bit;

    avr_ioctl(table->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &external);
    for (bit = 0; bit < 8; bit++)
        avr_raise_irq(avr_io_getirq(table->avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit),
                      levels >> bit & 1);
}

static void drive_pins(struct avr_table *table)
{
    static const char ports[] = "ACFKL";
    const char *port;

    for (port = ports; *port; port++)
        drive_port(table, *port);
}

static void set_contact(struct avr_table *table, struct pin pin, bool closed)
{
    uint8_t *levels = &table->levels[pin.port - 'A'];

    *levels = closed ? (uint8_t)(*levels & ~(1 << pin.bit)) : (uint8_t)(*levels | 1 << pin.bit);
    drive_port(table, pin.port);
}

void avr_table_contact(struct avr_table *table, char port, uint8_t bit, bool closed)
{
    set_contact(table, (struct pin){port, bit}, closed);
}

void avr_table_key(struct avr_table *table, uint8_t key, bool down)
{
    set_contact(table, key_pin(key), down);
}

void avr_table_button(struct avr_table *table, uint8_t sensor, bool sensed)
{
    set_contact(table, button_pin(sensor), sensed);
}

void avr_table_seat_contact(struct avr_table *table, uint8_t seat, bool closed)
{
    set_contact(table, seat_pin(seat), closed);
}

/* The converter. simavr knows eight channels, the controller has sixteen: whatever channel is chosen, its
 * voltage is put where simavr looks. */
static uint16_t millivolts(uint16_t counts)
{
    return (uint16_t)(((uint32_t)counts * MILLIVOLTS + ADC_HIGHEST - 1) / ADC_HIGHEST);
}

static void on_conversion(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct avr_table *table = param;
    const uint8_t *data = table->avr->data;
    const uint8_t channel = (uint8_t)((data[ADMUX] & 7) | (data[ADCSRB] & MUX5 ? 8 : 0));
    int i;

    (void)irq, (void)value;
    for (i = 0; i < 8; i++)
        table->adc->adc_values[i] = channel < SEATS ? millivolts(table->counts[channel]) : 0;
}

static void widen_adc(struct avr_table *table)
{
    int mux;

    table->adc = (avr_adc_t *)find_io(table->avr, "adc", 0);
    for (mux = 0x20; mux < 0x28; mux++)
        table->adc->muxmode[mux] = (avr_adc_mux_t)AVR_ADC_SINGLE(0);
    avr_irq_register_notify(avr_io_getirq(table->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER),
                            on_conversion, table);
}

void avr_table_seat_counts(struct avr_table *table, uint8_t seat, uint16_t counts)
{
    table->counts[seat - 1] = counts;
}

/* The line. */
static bool is_waiting(const struct avr_table *table)
{
    return table->in_head != table->in_tail;
}

static avr_cycle_count_t feed(avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct avr_table *table = param;
    avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    const uint8_t byte = table->in[table->in_tail % IN_RING];

    table->uart->cycles_per_byte = table->byte_cycles;
    table->in_tail++;
    table->last_in = avr->cycle;
    if (uart_fifo_get_read_size(&table->uart->input) >= UNFETCHED_MOST)
        table->overruns++;
    else
        avr_raise_irq(input, byte);
    table->feeding = is_waiting(table);
    return table->feeding ? when + table->byte_cycles : 0;
}

void avr_table_line_rate(struct avr_table *table, uint32_t cycles_per_byte)
{
    table->byte_cycles = cycles_per_byte;
}

void avr_table_line_in(struct avr_table *table, const uint8_t *bytes, uint32_t count)
{
    while (count--)
        table->in[table->in_head++ % IN_RING] = *bytes++;
    if (table->feeding || !is_waiting(table))
        return;
    table->feeding = true;
    avr_cycle_timer_register(table->avr, table->byte_cycles, feed, table);
}

uint32_t avr_table_line_waiting(const struct avr_table *table)
{
    return table->in_head - table->in_tail;
}

uint64_t avr_table_line_last_in(const struct avr_table *table)
{
    return table->last_in;
}

uint32_t avr_table_overruns(const struct avr_table *table)
{
    return table->overruns;
}

static void on_line_out(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct avr_table *table = param;
    struct avr_byte *byte = &table->out[table->out_head++ % TRACE_RING];

    (void)irq;
    byte->cycle = table->avr->cycle;
    byte->byte = (uint8_t)value;
}

uint32_t avr_table_line_out(struct avr_table *table, struct avr_byte *bytes, uint32_t most)
{
    uint32_t count = 0;

    while (count < most && table->out_tail != table->out_head)
        bytes[count++] = table->out[table->out_tail++ % TRACE_RING];
    return count;
}

static void listen_to_line(struct avr_table *table)
{
    avr_t *avr = table->avr;
    uint32_t flags = 0;

    table->uart = (avr_uart_t *)find_io(avr, "uart", '0');
    table->byte_cycles = BYTE_CYCLES;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            on_line_out, table);
}

/* The lamps' data pin. */
static void latch_lamps(struct avr_table *table)
{
    int lamp;

    if (table->lamp_bit == 24 * LAMPS) {
        for (lamp = 0; lamp < LAMPS; lamp++) {
            table->lamps[3 * lamp] = table->lamp_bits[3 * lamp + 1];
            table->lamps[3 * lamp + 1] = table->lamp_bits[3 * lamp];
            table->lamps[3 * lamp + 2] = table->lamp_bits[3 * lamp + 2];
        }
    }
    table->lamp_bit = 0;
}

static void take_lamp_bit(struct avr_table *table, bool one)
{
    uint8_t *byte = &table->lamp_bits[table->lamp_bit / 8 % (3 * LAMPS)];

    *byte = (uint8_t)(*byte << 1 | one);
    table->lamp_bit++;
}

static void on_lamp_pin(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct avr_table *table = param;
    const uint64_t now = table->avr->cycle, lasted = now - table->lamp_changed;
    struct avr_edge *edge;

    (void)irq;
    if (value == table->lamp_level)
        return;
    edge = &table->edges[table->edge_head++ % TRACE_RING];
    edge->cycle = now;
    edge->level = (uint8_t)value;
    if (value && lasted > LATCH_CYCLES)
        latch_lamps(table);
    else if (!value)
        take_lamp_bit(table, lasted > LONG_PULSE_CYCLES);
    table->lamp_level = (uint8_t)value;
    table->lamp_changed = now;
}

uint32_t avr_table_lamp_edges(struct avr_table *table, struct avr_edge *edges, uint32_t most)
{
    uint32_t count = 0;

    while (count < most && table->edge_tail != table->edge_head)
        edges[count++] = table->edges[table->edge_tail++ % TRACE_RING];
    return count;
}

void avr_table_lamps(const struct avr_table *table, uint8_t *rgb)
{
    struct avr_table *mutable = (struct avr_table *)table;

    if (table->avr->cycle - table->lamp_changed > LATCH_CYCLES && table->lamp_bit)
        latch_lamps(mutable);
    memcpy(rgb, table->lamps, sizeof table->lamps);
}

/* The LED board. */
static void trace_spi(struct avr_table *table, uint8_t byte, bool latched)
{
    const uint32_t at = table->spi_head++ % TRACE_RING;

    table->spi[at].cycle = table->avr->cycle;
    table->spi[at].byte = byte;
    table->spi_latched[at] = latched;
}

static void on_spi(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct avr_table *table = param;

    (void)irq;
    trace_spi(table, (uint8_t)value, false);
    if (table->selected)
        max7219_shift(&table->chain, (uint8_t)value);
}

static void on_select_pin(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct avr_table *table = param;
    const bool selected = !value;

    (void)irq;
    if (selected == table->selected)
        return;
    table->selected = selected;
    if (selected)
        return;
    trace_spi(table, 0, true);
    max7219_latch(&table->chain);
}

uint32_t avr_table_spi(struct avr_table *table, struct avr_byte *bytes, bool *latched, uint32_t most)
{
    uint32_t count = 0;

    while (count < most && table->spi_tail != table->spi_head) {
        const uint32_t at = table->spi_tail++ % TRACE_RING;

        bytes[count] = table->spi[at];
        latched[count++] = table->spi_latched[at];
    }
    return count;
}

bool avr_table_pixels(const struct avr_table *table, uint8_t *rows, uint8_t *brightness)
{
    struct bench_pixels pixels;

    max7219_show(&table->chain, &pixels);
    memcpy(rows, pixels.rows, sizeof pixels.rows);
    *brightness = pixels.brightness;
    return pixels.lit;
}

/* Memory. simavr's own EEPROM hears the same write before or after this. */
static void on_memory_write(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct avr_table *table = param;

    (void)address;
    if (!(value & EEPE))
        return;
    table->writes++;
    table->written_address = (uint16_t)(avr->data[EEARL] | avr->data[EEARL + 1] << 8);
}

static void watch_pins(struct avr_table *table)
{
    avr_t *avr = table->avr;

    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('E'), 3), on_lamp_pin,
                            table);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 0), on_select_pin,
                            table);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), on_spi,
                            table);
}

/* Starting and running. simavr gives no room for a pointer of ours in its reset call. */
static struct avr_table *being_run;

static void on_reset(avr_t *avr)
{
    if (being_run->reset)
        being_run->reset(avr);
    being_run->was_reset = true;
}

struct avr_table *avr_table_new(const char *elf_path, const uint8_t *memory)
{
    struct avr_table *table = calloc(1, sizeof *table);
    elf_firmware_t firmware;

    avr_global_logger_set(be_quiet);
    memset(&firmware, 0, sizeof firmware);
    if (!table || elf_read_firmware(elf_path, &firmware)) {
        free(table);
        return NULL;
    }
    being_run = table;
    table->avr = avr_make_mcu_by_name("atmega2560");
    avr_init(table->avr);
    firmware.frequency = FREQUENCY;
    avr_load_firmware(table->avr, &firmware);
    table->avr->frequency = FREQUENCY;
    table->avr->sleep = do_not_wait;
    table->avr->vcc = table->avr->avcc = table->avr->aref = MILLIVOLTS;
    table->reset = table->avr->reset;
    table->avr->reset = on_reset;
    table->lowest_stack = table->avr->ramend;
    memset(table->levels, 0xFF, sizeof table->levels);
    memset(table->counts, 0, sizeof table->counts);
    listen_to_line(table);
    widen_adc(table);
    watch_pins(table);
    avr_register_io_write(table->avr, EECR, on_memory_write, table);
    drive_pins(table);
    if (memory) {
        avr_eeprom_desc_t all = {(uint8_t *)memory, 0, MEMORY_BYTES};

        avr_ioctl(table->avr, AVR_IOCTL_EEPROM_SET, &all);
    }
    return table;
}

void avr_table_free(struct avr_table *table)
{
    avr_terminate(table->avr);
    free(table->avr);
    free(table);
}

static void after_reset(struct avr_table *table)
{
    table->was_reset = false;
    table->restarts++;
    table->started = table->avr->cycle;
    if (table->hung)
        memcpy(table->avr->flash + table->hung_at, table->hung_over, sizeof table->hung_over);
    table->hung = false;
    drive_pins(table);
}

static void watch_stack(struct avr_table *table)
{
    const uint16_t pointer = (uint16_t)(table->avr->data[R_SPL] | table->avr->data[R_SPH] << 8);

    if (pointer < table->lowest_stack && pointer > table->avr->ramend / 2)
        table->lowest_stack = pointer;
}

static bool step(struct avr_table *table)
{
    const int state = avr_run(table->avr);

    if (table->was_reset)
        after_reset(table);
    if (table->watches_stack)
        watch_stack(table);
    return state != cpu_Done && state != cpu_Crashed;
}

bool avr_table_run(struct avr_table *table, uint64_t cycles)
{
    const uint64_t end = table->avr->cycle + cycles;

    being_run = table;
    table->uart->cycles_per_byte = table->byte_cycles;
    while (table->avr->cycle < end)
        if (!step(table))
            return false;
    return true;
}

bool avr_table_run_to_write(struct avr_table *table, uint32_t number, uint64_t cycles)
{
    const uint64_t end = table->avr->cycle + cycles;

    being_run = table;
    while (table->writes < number)
        if (table->avr->cycle >= end || !step(table))
            return false;
    return true;
}

uint64_t avr_table_cycle(const struct avr_table *table)
{
    return table->avr->cycle;
}

uint32_t avr_table_writes(const struct avr_table *table)
{
    return table->writes;
}

uint16_t avr_table_written_address(const struct avr_table *table)
{
    return table->written_address;
}

void avr_table_memory(struct avr_table *table, uint8_t *memory)
{
    avr_eeprom_desc_t all = {memory, 0, MEMORY_BYTES};

    avr_ioctl(table->avr, AVR_IOCTL_EEPROM_GET, &all);
}

void avr_table_reset(struct avr_table *table)
{
    being_run = table;
    avr_reset(table->avr);
    table->avr->data[MCUSR] = EXTRF;
    after_reset(table);
}

uint32_t avr_table_restarts(const struct avr_table *table)
{
    return table->restarts;
}

uint64_t avr_table_started(const struct avr_table *table)
{
    return table->started;
}

/* Where the main loop stands is overwritten by a jump to itself. An interrupt may be running: then it is
 * let end first. */
void avr_table_hang(struct avr_table *table)
{
    static const uint8_t jump_to_itself[] = {0xFF, 0xCF};

    being_run = table;
    while (!table->avr->sreg[S_I])
        step(table);
    table->hung = true;
    table->hung_at = table->avr->pc;
    memcpy(table->hung_over, table->avr->flash + table->hung_at, sizeof table->hung_over);
    memcpy(table->avr->flash + table->hung_at, jump_to_itself, sizeof jump_to_itself);
}

uint8_t avr_table_peek(const struct avr_table *table, uint16_t address)
{
    return table->avr->data[address];
}

void avr_table_poke(struct avr_table *table, uint16_t address, uint8_t byte)
{
    table->avr->data[address] = byte;
}

void avr_table_watch_stack(struct avr_table *table)
{
    table->watches_stack = true;
}

uint16_t avr_table_stack(const struct avr_table *table)
{
    return (uint16_t)(table->avr->ramend - table->lowest_stack);
}
