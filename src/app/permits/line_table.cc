#include "app/permits/line_table.h"

#include <utility>

#include "units/check.h"

namespace einlass::app {
namespace {

void append_number(std::string& to, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(number >> shift & 0xff);
}

std::uint32_t take_number(std::string_view& from) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) {
    number = number << 8 | static_cast<std::uint8_t>(from[static_cast<std::size_t>(i)]);
  }
  from.remove_prefix(4);
  return number;
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
  lines_[line.value] = {route, &enter(line)};
  return {line, true};
}

// Under scratch_. REQUIRES: it is not there.
const std::string& LineTable::enter(core::LineId line) {
  if (spare_.empty()) return by_keys_.emplace(scratch_, line).first->first;
  ByKeys::node_type node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = scratch_;
  node.mapped() = line;
  return by_keys_.insert(std::move(node)).position->first;
}

void LineTable::read_keys(core::LineId line, std::vector<std::string_view>& keys) const {
  keys.clear();
  std::string_view rest = *lines_[line.value].keys;
  take_number(rest);
  while (!rest.empty()) {
    const std::uint32_t size = take_number(rest);
    keys.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
}

void LineTable::forget(core::LineId line) {
  CHECK(line.value < lines_.size());
  Line& known = lines_[line.value];
  CHECK(known.keys != nullptr);
  ByKeys::node_type node = by_keys_.extract(by_keys_.find(*known.keys));
  if (spare_.size() < kSpare && node.key().capacity() <= kSpareKeys) {
    spare_.push_back(std::move(node));
  }
  known.keys = nullptr;
  unused_.push_back(line.value);
}

}  // namespace einlass::app
