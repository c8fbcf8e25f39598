// The gate leaves by _exit, as librdkafka's consumer must not be destroyed, and the address
// sanitizer looks for leaks only after main. In its builds every _exit of the program comes by here
// (the linker's --wrap): memory that nothing points to any more is a leak by then too.
#include <sanitizer/lsan_interface.h>

static const int leaked = 23;  // The leak checker's own code.

void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));

void __wrap__exit(int code) {
  if (code == 0 && __lsan_do_recoverable_leak_check() != 0) code = leaked;
  __real__exit(code);
}
