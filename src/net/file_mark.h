// What tells a file from what it was: also where it is a link that is turned to another file, as
// Kubernetes does with what a ConfigMap or a Secret holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace einlass::net {

// Another one as soon as somebody has written or replaced the file, or changed who may read it.
struct FileMark {
  std::uint64_t device = 0, file = 0;
  std::int64_t size = 0;
  std::int64_t written = 0, written_ns = 0;  // Seconds, and nanoseconds beyond them.
  std::int64_t changed = 0, changed_ns = 0;
  bool operator==(const FileMark&) const = default;
};

// None if the file is not there.
std::optional<FileMark> mark_of(const std::string& path);

}  // namespace einlass::net
