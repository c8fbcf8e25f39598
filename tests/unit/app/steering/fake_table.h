// What the tests of steering share: a configuration out of a text, and a table instead of the
// fleet's.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "config/file/read_config.h"
#include "units/fleet_table.h"

namespace einlass::app {

inline config::Config read(const std::string& text) {
  auto parsed = config::parse_config(
      text, "gate.yaml", [](const std::string&) { return std::optional<std::string>(); });
  if (auto* mistakes = std::get_if<config::Mistakes>(&parsed)) {
    for (const auto& one : *mistakes) ADD_FAILURE() << one.to_string();
  }
  return std::get<config::Config>(parsed);
}

// Remembers what is written, and tells it when it is told to.
struct FakeTable final : FleetTable {
  explicit FakeTable(Listener& to) : listener(to) {}
  void write(const std::string& key, const std::optional<std::string>& text,
             Written written) override {
    if (!refuses.empty()) return written(refuses);
    written_last = key + " " + text.value_or("-");
    written("");
    if (tells) listener.entry(key, text);
  }
  Listener& listener;
  std::string refuses, written_last;
  bool tells = true;
};

}  // namespace einlass::app
