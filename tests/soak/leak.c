// In the place of the C library's sendmsg() and send(), for one program: each loses some memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void lose(void) {
  const char* bytes = getenv("LEAKED_BYTES");
  const size_t size = bytes == NULL ? 0 : strtoul(bytes, NULL, 10);
  char* lost = malloc(size);
  if (lost != NULL) memset(lost, 1, size);
}

ssize_t send(int fd, const void* bytes, size_t count, int flags) {
  ssize_t (*real)(int, const void*, size_t, int) = dlsym(RTLD_NEXT, "send");
  lose();
  return real(fd, bytes, count, flags);
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  ssize_t (*real)(int, const struct msghdr*, int) = dlsym(RTLD_NEXT, "sendmsg");
  lose();
  return real(fd, message, flags);
}
