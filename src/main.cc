#include <sys/resource.h>

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

}  // namespace

int main(int argc, char** argv) {
  switch_core_dumps_off();
  einlass::app::raise_open_files();
  return einlass::app::run_command_line(argc, argv);
}
