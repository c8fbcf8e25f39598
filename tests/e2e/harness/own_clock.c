// In the place of the C library's wall clock, for one program: what a mapped file says. Its
// monotonic clock stays the machine's. (libfaketime does not go with jemalloc, which redis-server
// is linked with, and ends waits at the instant that was right when they began; the kernel's end
// where the clock has been set to meanwhile.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// own_clock.py writes it. Shown is: shown + (real - at) * speed / 1,000,000, all in nanoseconds.
struct Setting {
  int64_t shown, at, speed;
};
struct File {
  volatile uint64_t current;  // Which of the two counts.
  struct Setting settings[2];
};

static const struct File* volatile g_file;

static int64_t ns_of(const struct timespec* time) {
  return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static struct timespec timespec_of(int64_t ns) {
  struct timespec time = {ns / 1000000000, ns % 1000000000};
  return time;
}

static int64_t real_now(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return ns_of(&now);
}

static int64_t shown_now(void) {
  if (g_file == NULL) {
    const char* path = getenv("OWN_CLOCK");
    const int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return real_now();
    void* mapped = mmap(NULL, sizeof(struct File), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) return real_now();
    g_file = mapped;
  }
  const struct Setting* setting = &g_file->settings[g_file->current & 1];
  const __int128 passed = real_now() - setting->at;
  return setting->shown + (int64_t)(passed * setting->speed / 1000000);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    return (int)syscall(SYS_clock_gettime, clock, time);
  }
  *time = timespec_of(shown_now());
  return 0;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  const struct timespec now = timespec_of(shown_now());
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* place) {
  const time_t now = shown_now() / 1000000000;
  if (place != NULL) *place = now;
  return now;
}

int timespec_get(struct timespec* time, int base) {
  if (base != TIME_UTC) return 0;
  *time = timespec_of(shown_now());
  return base;
}

// Until the clock shows it, wherever it is set to meanwhile: it is looked at again and again.
static int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex,
                      const struct timespec* until) {
  static int (*wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  if (wait == NULL) {
    void* found = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    *(void**)&wait = found;
  }
  while (shown_now() < ns_of(until)) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    const int64_t left = ns_of(until) - shown_now();
    const int64_t step = left < 5000000 ? left : 5000000;
    const struct timespec next = timespec_of(ns_of(&now) + (step > 0 ? step : 0));
    const int result = wait(condition, mutex, CLOCK_MONOTONIC, &next);
    if (result != ETIMEDOUT) return result;
  }
  return ETIMEDOUT;
}

int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           const struct timespec* restrict until) {
  static int (*wait)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
  const unsigned kMonotonic = 2;  // As glibc marks a condition whose attribute says so.
  if (!(condition->__data.__wrefs & kMonotonic)) return wait_until(condition, mutex, until);
  if (wait == NULL) *(void**)&wait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  return wait(condition, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           clockid_t clock, const struct timespec* restrict until) {
  static int (*wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  if (clock == CLOCK_REALTIME) return wait_until(condition, mutex, until);
  if (wait == NULL) *(void**)&wait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  return wait(condition, mutex, clock, until);
}

int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict mutex,
                  const struct timespec* restrict until) {
  const int result = wait_until((pthread_cond_t*)condition, (pthread_mutex_t*)mutex, until);
  if (result == 0) return thrd_success;
  return result == ETIMEDOUT ? thrd_timedout : thrd_error;
}
