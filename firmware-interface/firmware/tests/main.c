#include "testing.h"

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s vectors.txt\n", words[0]);
        return 2;
    }
    test_frames();
    test_vectors(words[1]);
    test_inputs();
    test_lamps();
    test_board();
    test_store();
    test_link();
    test_app();
    printf("the firmware's core: all tests passed\n");
    return 0;
}
