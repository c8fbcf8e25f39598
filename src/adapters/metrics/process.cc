#include "adapters/metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace einlass::metrics {
namespace {

// The machine's start, in seconds since 1970; 0 if unknown.
double boot_time() {
  std::ifstream stat("/proc/stat");
  for (std::string word; stat >> word;) {
    if (word != "btime") continue;
    double seconds = 0;
    stat >> seconds;
    return seconds;
  }
  return 0;
}

std::uint64_t open_files() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return 0;
  const auto count = std::distance(begin(files), end(files));
  return static_cast<std::uint64_t>(count > 0 ? count - 1 : 0);  // One is the listing itself.
}

std::uint64_t most_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

std::optional<Process> read_process() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The second field is the program's name in brackets and may hold anything; see proc(5).
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  std::uint64_t user = 0, system = 0, started = 0, virtual_bytes = 0, pages = 0;
  rest >> user >> system;
  for (int field = 16; field < 22; ++field) rest >> skipped;
  rest >> started >> virtual_bytes >> pages;
  if (!rest) return std::nullopt;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  static const double kBootTime = boot_time();  // Would wander with the clock if read again.
  return Process{.cpu_seconds = static_cast<double>(user + system) / ticks,
                 .start_time = kBootTime + static_cast<double>(started) / ticks,
                 .resident_bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
                 .virtual_bytes = virtual_bytes,
                 .max_virtual_bytes = most_of(RLIMIT_AS),
                 .open_files = open_files(),
                 .max_files = most_of(RLIMIT_NOFILE)};
}

}  // namespace einlass::metrics
