/* The command line that both hosts of the firmware have. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "port.h"

struct options {
    const char *firmware; /* an ELF file; only where the host takes one */
    const char *control;  /* the control socket's path */
    const char *memory;   /* a file that stands for the EEPROM */
    bool restarts;        /* opening the port restarts the board, as DTR does on a Mega */
};

/* Reads the command line and opens the port. Ends the program, with a word on what is wrong, if that
 * cannot be done. */
void options_take(int count, char **words, bool wants_firmware, struct options *options,
                  struct port *port);

/* The program shall end: asked to by a signal, or its parent is gone. */
bool options_end(void);

#endif
