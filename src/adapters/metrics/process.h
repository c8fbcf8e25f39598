// What Linux says about this process, under the names that Prometheus' own clients give it.
#pragma once

#include <cstdint>
#include <optional>

namespace einlass::metrics {

struct Process {
  double cpu_seconds = 0;  // User and system.
  double start_time = 0;   // Seconds since 1970.
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t max_virtual_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t max_files = 0;
};

// Reads /proc; none where it cannot be read.
std::optional<Process> read_process();

}  // namespace einlass::metrics
