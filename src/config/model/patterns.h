// Values that the file gives to names, and to all names that begin alike: a name itself goes before
// every pattern, and of the patterns that fit the longest holds.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "units/keyed_hash.h"

namespace einlass::config {

// NAME*, for the names that begin with NAME.
inline bool is_pattern(std::string_view written) { return written.ends_with('*'); }

// What is wrong with a name that may be a pattern; none if nothing is.
inline std::optional<std::string> refuse_pattern(std::string_view written) {
  const std::size_t star = written.find('*');
  if (star == written.npos || star + 1 == written.size()) return std::nullopt;
  return "has a * before its end; a pattern is the beginning of a name and one *";
}

template <class T>
class Patterns {
 public:
  // REQUIRES: not refused, and not added before.
  void add(std::string_view written, T value) {
    if (!is_pattern(written)) {
      by_name_.emplace(std::string(written), std::move(value));
      return;
    }
    const std::string_view beginning = written.substr(0, written.size() - 1);
    const auto shorter = std::ranges::find_if(
        by_beginning_, [&](const auto& other) { return other.first.size() < beginning.size(); });
    by_beginning_.emplace(shorter, std::string(beginning), std::move(value));
  }

  // Null if there is none. It lives as long as this does and nothing is added.
  const T* find(std::string_view name) const {
    if (const auto found = by_name_.find(name); found != by_name_.end()) return &found->second;
    for (const auto& [beginning, value] : by_beginning_) {
      if (name.starts_with(beginning)) return &value;
    }
    return nullptr;
  }

  std::size_t size() const { return by_name_.size() + by_beginning_.size(); }

 private:
  std::unordered_map<std::string, T, KeyedHash, std::equal_to<>> by_name_;
  std::vector<std::pair<std::string, T>> by_beginning_;  // The longest first.
};

}  // namespace einlass::config
