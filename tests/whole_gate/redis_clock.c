/* Preloaded into a redis-server: its wall clock is the one that a simulated world has written into the file
   EINLASS_CLOCK, in microseconds since 1970. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile int64_t *micros;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("EINLASS_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *found = file >= 0 ? mmap(NULL, sizeof *micros, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (found == MAP_FAILED) abort();
  micros = found;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  at->tv_sec = *micros / 1000000;
  at->tv_usec = *micros % 1000000;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (clock != CLOCK_REALTIME || !micros) return next(clock, at);
  at->tv_sec = *micros / 1000000;
  at->tv_nsec = *micros % 1000000 * 1000;
  return 0;
}

time_t time(time_t *at) {
  time_t now = *micros / 1000000;
  if (at) *at = now;
  return now;
}
