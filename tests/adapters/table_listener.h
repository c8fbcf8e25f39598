// What a fleet's table has told: the texts by key, as a listener is to understand it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "units/fleet_table.h"

namespace einlass::testing {

struct TableListener final : FleetTable::Listener {
  using Texts = std::map<std::string, std::string>;

  void reading() override {
    ++readings;
    unseen.clear();
    for (const auto& [key, text] : texts) unseen.insert(key);
  }
  void entry(std::string_view key, std::optional<std::string_view> text) override {
    unseen.erase(std::string(key));
    if (text) {
      texts[std::string(key)] = *text;
    } else {
      texts.erase(std::string(key));
    }
    ++entries;
  }
  void whole() override {
    for (const std::string& key : unseen) texts.erase(key);
    unseen.clear();
    ++wholes;
  }
  void away(const std::string& why) override { trouble = why; }

  Texts texts;
  std::set<std::string> unseen;
  std::string trouble = "nothing was said";
  int readings = 0, wholes = 0, entries = 0;
};

// Turns the loop until it is so.
inline bool run_until(boost::asio::io_context& io, const std::function<bool()>& done,
                      std::chrono::seconds patience = std::chrono::seconds(20)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    io.run_one_for(std::chrono::milliseconds(5));
    if (io.stopped()) io.restart();
  }
  return true;
}

// Writes and waits until that has ended: what was said of it.
inline std::string write_and_wait(boost::asio::io_context& io, FleetTable& table,
                                  const std::string& key, const std::optional<std::string>& text) {
  std::optional<std::string> said;
  table.write(key, text, [&](const std::string& trouble) { said = trouble; });
  if (!run_until(io, [&] { return said.has_value(); })) return "no answer";
  return *said;
}

}  // namespace einlass::testing
