// C11 threads over POSIX threads, for builds with the thread sanitizer. librdkafka starts its
// threads by thrd_create, which the sanitizer does not know: the first of them crashes the program
// (librdkafka issue 4929). Defined in the program itself, these come before the C library's. What
// they are made of is the same there, so the types may be cast.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mtx_t holds a pthread_mutex_t");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a cnd_t holds a pthread_cond_t");

static int result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

struct start {
  thrd_start_t function;
  void* argument;
};

static void* run(void* opaque) {
  const struct start start = *(struct start*)opaque;
  free(opaque);
  return (void*)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  struct start* start = malloc(sizeof *start);
  if (start == NULL) return thrd_nomem;
  *start = (struct start){function, argument};
  const int error = pthread_create(thread, NULL, run, start);
  if (error != 0) free(start);
  return result(error);
}

int thrd_join(thrd_t thread, int* code) {
  void* returned = NULL;
  const int error = pthread_join(thread, &returned);
  if (code != NULL) *code = (int)(intptr_t)returned;
  return result(error);
}

int thrd_detach(thrd_t thread) { return result(pthread_detach(thread)); }

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  }
  const int error = pthread_mutex_init((pthread_mutex_t*)mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return result(error);
}

void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy((pthread_mutex_t*)mutex); }
int mtx_lock(mtx_t* mutex) { return result(pthread_mutex_lock((pthread_mutex_t*)mutex)); }
int mtx_trylock(mtx_t* mutex) { return result(pthread_mutex_trylock((pthread_mutex_t*)mutex)); }
int mtx_unlock(mtx_t* mutex) { return result(pthread_mutex_unlock((pthread_mutex_t*)mutex)); }

int cnd_init(cnd_t* condition) {
  return result(pthread_cond_init((pthread_cond_t*)condition, NULL));
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy((pthread_cond_t*)condition); }
int cnd_signal(cnd_t* condition) { return result(pthread_cond_signal((pthread_cond_t*)condition)); }
int cnd_broadcast(cnd_t* condition) {
  return result(pthread_cond_broadcast((pthread_cond_t*)condition));
}
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return result(pthread_cond_wait((pthread_cond_t*)condition, (pthread_mutex_t*)mutex));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const struct timespec* until) {
  return result(pthread_cond_timedwait((pthread_cond_t*)condition, (pthread_mutex_t*)mutex, until));
}

// librdkafka itself is not built with the sanitizer, which therefore does not see its atomic
// counters and takes what they order for a race: a lock is destroyed, or a buffer freed, after its
// last user. This leaves out an access that librdkafka makes by the C library (or that a callback
// of ours would make; the gate has none that runs on a thread of librdkafka's). called_from_lib
// would forget its read-write locks as well, and make races of all that they order.
const char* __tsan_default_suppressions(void);
const char* __tsan_default_suppressions(void) { return "race:librdkafka.so\n"; }
