#include "app/service/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace einlass::app {

void raise_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t most_open_files() {
  constexpr std::uint64_t kUsual = 1'024;
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsual;
}

std::size_t admin_connections(std::uint64_t most_open_files) {
  constexpr std::uint64_t kMost = 1'024;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(most_open_files / 4, 1, kMost));
}

}  // namespace einlass::app
