/* A test is a function that CHECKs; the first check that fails ends the program and says where. */
#ifndef TESTING_H
#define TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_hal.h"

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                       \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

#define CHECK_EQUAL(found, wanted)                                                                \
    do {                                                                                          \
        const long long found_ = (long long)(found), wanted_ = (long long)(wanted);               \
        if (found_ != wanted_) {                                                                  \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #found, found_,  \
                    wanted_);                                                                     \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

void test_frames(void);
void test_vectors(const char *path);
void test_inputs(void);
void test_lamps(void);
void test_board(void);
void test_store(void);
void test_link(void);
void test_app(void);

#endif
