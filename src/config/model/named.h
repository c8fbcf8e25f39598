// What stands in the file under a name of the user's own, by that name.
#pragma once

#include <cstddef>
#include <string>

#include "config/model/config.h"

namespace einlass::config {

template <class T>
auto& name_of(T& one) {
  return one.name;
}
inline std::string& name_of(Limit& limit) { return limit.limit.name; }
inline const std::string& name_of(const Limit& limit) { return limit.limit.name; }

// What keeps a burst is in no file.
template <class T>
bool is_written(const T&) {
  return true;
}
inline bool is_written(const Limit& limit) { return !limit.is_pace; }

// An item of a list, in the path of an option: by its name, or by its index.
inline std::string item_name(const Route& route, std::size_t) { return route.name; }
inline std::string item_name(const BodyMeans&, std::size_t index) { return std::to_string(index); }
inline std::string item_name(const Condition&, std::size_t index) { return std::to_string(index); }

}  // namespace einlass::config
