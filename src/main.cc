#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/service/open_files.h"

namespace {

// Passwords and records stand in memory, and a core dump would make a file of them. Whoever wants
// one raises the limit again, of the process that runs: prlimit --core.
void switch_core_dumps_off() {
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return;
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &limit);
}

// Where a parent has closed one of the three, the next file or socket would get its number, and
// what is printed would go there.
void open_standard_streams() {
  int descriptor = 0;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  switch_core_dumps_off();
  einlass::app::raise_open_files();
  return einlass::app::run_command_line(argc, argv);
}
