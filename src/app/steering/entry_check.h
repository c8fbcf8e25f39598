// Whether an entry of the fleet's table means something under a configuration.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/steering/steer.h"
#include "config/limits/limit_values.h"
#include "config/model/config.h"

namespace einlass::app {

// What the values of an entry come to.
struct Meant {
  std::optional<config::LimitValue> value;  // Of a quota.
  std::optional<std::uint16_t> weight;      // Of a flow.
};

// What is wrong with it, as a sentence; empty: nothing, and `meant` is filled unless it is null.
std::string refusal_of(const config::Config& config, const Subject& subject, const Steer& steer,
                       Meant* meant);

// Of a limit that the file names; what keeps a burst is none.
std::optional<std::size_t> limit_index(const config::Config& config, const std::string& name);

template <class T>
std::optional<std::size_t> index_of(const std::vector<T>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &T::name);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace einlass::app
