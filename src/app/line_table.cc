#include "app/line_table.h"

#include "units/check.h"

namespace einlass::app {
namespace {

void append_number(std::string& to, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(number >> shift & 0xff);
}

}  // namespace

LineTable::Found LineTable::find_or_add(core::RouteId route,
                                        std::span<const std::string_view> keys) {
  // Each key with its length before it, so that no two different lists read the same.
  scratch_.clear();
  append_number(scratch_, route.value);
  for (const std::string_view key : keys) {
    append_number(scratch_, static_cast<std::uint32_t>(key.size()));
    scratch_ += key;
  }
  if (const auto known = by_keys_.find(std::string_view(scratch_)); known != by_keys_.end()) {
    return {known->second, false};
  }
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(lines_.size()));
    lines_.emplace_back();
  }
  const core::LineId line{unused_.back()};
  unused_.pop_back();
  const auto entry = by_keys_.emplace(scratch_, line).first;
  lines_[line.value] = {route, &entry->first};
  return {line, true};
}

void LineTable::forget(core::LineId line) {
  CHECK(line.value < lines_.size());
  Line& known = lines_[line.value];
  CHECK(known.keys != nullptr);
  by_keys_.erase(std::string(*known.keys));
  known.keys = nullptr;
  unused_.push_back(line.value);
}

}  // namespace einlass::app
