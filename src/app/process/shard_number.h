// Which shard of the process one is, and its part of what the configuration says for the process.
#pragma once

#include <cstdint>
#include <string>

namespace einlass::app {

struct ShardNumber {
  int value = 0;  // From 0.
  int of = 1;

  // This shard's part of a bound that holds for the process: all parts add up to it.
  std::int64_t part(std::int64_t whole) const { return whole / of + (value < whole % of ? 1 : 0); }

  // The name under which the shard is a member of the consumer group.
  std::string member(const std::string& instance) const {
    return of == 1 ? instance : instance + "-" + std::to_string(value);
  }
};

}  // namespace einlass::app
