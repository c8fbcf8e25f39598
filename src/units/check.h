// CHECK stops the process when the program itself is wrong. It stays on in production: offsets
// move only after a record is finished, so a restart is always safe. Bad input is never a CHECK.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace einlass {

[[noreturn]] inline void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
  std::abort();
}

}  // namespace einlass

#define CHECK(condition) \
  (__builtin_expect(!!(condition), 1) ? void(0) \
                                      : ::einlass::check_failed(#condition, __FILE__, __LINE__))
