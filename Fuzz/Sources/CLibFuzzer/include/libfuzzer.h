#pragma once
#include <stddef.h>
#include <stdint.h>

// From LLVM's FuzzerInterface; clang ships the library without the header. Ends the process when it is done.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t count));
