// In the place of the C library's send(), for one program: it takes long while a file is there. So
// a turn of a loop that never blocks is slow, which no server or record can bring about.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

ssize_t send(int fd, const void* bytes, size_t count, int flags) {
  const char* file = getenv("SLOW_SENDS_WHILE");
  if (file != NULL && access(file, F_OK) == 0) {
    const struct timespec long_enough = {1, 250 * 1000 * 1000};
    nanosleep(&long_enough, NULL);
  }
  ssize_t (*real)(int, const void*, size_t, int) = dlsym(RTLD_NEXT, "send");
  return real(fd, bytes, count, flags);
}
