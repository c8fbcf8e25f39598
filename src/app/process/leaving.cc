#include "app/process/leaving.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/process/exit_codes.h"

namespace einlass::app {

int with_output(int code) {
  if (code != kExitDone || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  std::fprintf(stderr, "einlass: stdout: %s\n", std::strerror(errno));
  return kExitFailed;
}

void leave(int code) {
  code = with_output(code);
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace einlass::app
