#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t ending;

static void on_signal(int signal)
{
    (void)signal;
    ending = 1;
}

bool options_end(void)
{
    return ending;
}

static void usage(FILE *out, const char *name, bool wants_firmware)
{
    fprintf(out,
            "usage: %s %s[--pty[=LINK] | --socket PATH | --fd NUMBER] [--control PATH]\n"
            "       [--memory FILE] [--restarts] [--stay]\n"
            "  --pty      a pseudo-terminal, and a symbolic link to it (the default, without link)\n"
            "  --socket   a Unix socket instead\n"
            "  --fd       a descriptor that is open already\n"
            "  --control  a Unix socket that moves the sensors and tells what shows\n"
            "  --memory   a file for what the board keeps without power\n"
            "  --restarts opening the port restarts the board, as on an Arduino Mega\n"
            "  --stay     do not end with the program that started this one\n"
            "The first line on standard output says where the port is.\n",
            name, wants_firmware ? "--firmware ELF " : "");
}

static void open_port(struct port *port, const char *pty, const char *socket, const char *fd)
{
    bool well;

    if (fd)
        well = port_open_fd(port, atoi(fd));
    else if (socket)
        well = port_open_socket(port, socket);
    else
        well = port_open_pty(port, pty);
    if (!well)
        exit(1);
}

void options_take(int count, char **words, bool wants_firmware, struct options *options,
                  struct port *port)
{
    static const struct option known[] = {
        {"pty", optional_argument, NULL, 'p'},     {"socket", required_argument, NULL, 's'},
        {"fd", required_argument, NULL, 'f'},      {"control", required_argument, NULL, 'c'},
        {"memory", required_argument, NULL, 'm'},  {"restarts", no_argument, NULL, 'r'},
        {"stay", no_argument, NULL, 'y'},          {"firmware", required_argument, NULL, 'e'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    const char *pty = NULL, *socket = NULL, *fd = NULL;
    bool stay = false;
    int option;

    memset(options, 0, sizeof *options);
    while ((option = getopt_long(count, words, "", known, NULL)) != -1) {
        switch (option) {
        case 'p':
            pty = optarg;
            break;
        case 's':
            socket = optarg;
            break;
        case 'f':
            fd = optarg;
            break;
        case 'c':
            options->control = optarg;
            break;
        case 'm':
            options->memory = optarg;
            break;
        case 'r':
            options->restarts = true;
            break;
        case 'y':
            stay = true;
            break;
        case 'e':
            options->firmware = optarg;
            break;
        default:
            usage(option == 'h' ? stdout : stderr, words[0], wants_firmware);
            exit(option == 'h' ? 0 : 2);
        }
    }
    if (optind < count || wants_firmware != !!options->firmware) {
        usage(stderr, words[0], wants_firmware);
        exit(2);
    }
    open_port(port, pty, socket, fd);
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    signal(SIGPIPE, SIG_IGN);
    if (!stay)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
}
