// The tables of `einlass top`.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/asking/top_lines.h"
#include "text/shown.h"
#include "text/span_words.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kName = 20, kSpan = 10, kUsed = 12;
constexpr std::size_t kBetween = 2;  // Columns, so many blanks.

TopTable::Column left(std::string heading, std::size_t least = 0) {
  return {std::move(heading), least, false};
}

// One that is cut says so.
std::string name_in(const TopStatus& status, const std::string& name) {
  const std::string text = shown(name);
  const std::string cut = first_of(text, status.most_of_a_name);
  return cut.size() == text.size() ? text : first_of(text, status.most_of_a_name - 1) + "\u2026";
}

std::string name_of(const TopStatus& status, const Json& json, const char* name = "name") {
  return name_in(status, text_of(json, name));
}

std::string count(const Json& json, const char* name) {
  const Json& value = json.at(name);
  return value.is_null() ? "-" : std::to_string(value.get<std::uint64_t>());
}

// Of an instant: how long ago; of a number of seconds: as long.
std::string ago(const Json& at, std::int64_t now_us) {
  return at.is_null() ? "-" : span_in_words(Duration{now_us - at.get<std::int64_t>()});
}
std::string seconds(const Json& value) {
  if (value.is_null()) return "-";
  return span_in_words(Duration{static_cast<std::int64_t>(value.get<double>() * 1e6)});
}

// As "60", "2.5" or "0.017".
std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate >= 100 ? "%.0f" : rate >= 1 ? "%.3g" : "%.2g", rate);
  return text;
}

std::string rate_or_none(const std::optional<double>& rate) {
  return rate ? rate_text(*rate) : "-";
}

std::size_t characters_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

const Json* find(const TopStatus& status, const char* list, const std::string& name) {
  if (status.before == nullptr || !status.before->contains(list)) return nullptr;
  for (const Json& one : status.before->at(list)) {
    if (text_of(one, "name") == name) return &one;
  }
  return nullptr;
}

// How much more a second; none where that is not known, as when the gate has started again.
std::optional<double> rate(const TopStatus& status, const char* list, const Json& one,
                           const char* counter) {
  const Json* before = find(status, list, text_of(one, "name"));
  if (before == nullptr) return std::nullopt;
  const double more = one.at(counter).get<double>() - before->at(counter).get<double>();
  return more < 0 ? std::nullopt : std::optional(more / status.seconds);
}

std::string keys_of(const Json& keys) {
  std::string text;
  for (const auto& [limit, key] : keys.items()) {
    const auto name = key.get<std::string>();
    text += (text.empty() ? "" : ", ") + (name.empty() ? "(no key)" : name);
  }
  return keys.empty() ? "(all records)" : text;
}

// What it allows, and to whom: only so can it be compared with what is used.
std::string allowed_text(const Json& limit) {
  const bool keyed = limit.at("keyed").get<bool>();
  const std::string whose = keyed ? " a key" : text_of(limit, "store") == "redis" ? " fleet" : "";
  if (!limit.at("at_once").is_null()) {
    return std::to_string(limit.at("at_once").get<std::int64_t>()) + " at once" + whose;
  }
  if (limit.at("per_second").is_null()) return "by cost" + whose;  // Which each record brings.
  return rate_text(limit.at("per_second").get<double>()) + "/s" + whose;
}

// As on the live page.
std::string word_of(std::string reason) {
  std::ranges::replace(reason, '_', ' ');
  return reason;
}

std::string waits_text(const Json& line) {
  std::string text = word_of(text_of(line, "waits_for"));
  if (!line.at("limit").is_null()) text += " " + text_of(line, "limit");
  if (!line.at("behind").is_null()) text += ", behind " + keys_of(line.at("behind"));
  return text;
}

// What records may wait for. The last two are seldom, and have a column only while some do.
std::vector<std::string> reasons_shown(const Json& routes) {
  std::vector<std::string> reasons = {"limit", "target", "retry", "order", "outage"};
  for (const char* seldom : {"paused", "not_before"}) {
    const bool some = std::ranges::any_of(routes, [&](const Json& route) {
      return route.at("waiting").value(seldom, std::uint64_t{0}) > 0;
    });
    if (some) reasons.emplace_back(seldom);
  }
  return reasons;
}

// One flow of a share, one level of it, or all; a flow's name may be empty.
struct PartOfShare {
  std::optional<std::string> flow{}, level{};
};

// The permits that it has used.
double permits_of(const Json& share, const PartOfShare& part) {
  double permits = 0;
  for (const Json& one : share.at("flows")) {
    if (part.flow && text_of(one, "name") != *part.flow) continue;
    for (const auto& [name, count] : one.at("permits").items()) {
      if (!part.level || name == *part.level) permits += count.get<double>();
    }
  }
  return permits;
}

// "used/s here" and the part of what the whole share used; as long as that is not known, nothing.
std::vector<std::string> used_of(const TopStatus& status, const Json& share,
                                 const PartOfShare& part) {
  const Json* before = find(status, "shares", text_of(share, "name"));
  if (before == nullptr) return {"-", "-"};
  const double more = permits_of(share, part) - permits_of(*before, part);
  const double all = permits_of(share, {}) - permits_of(*before, {});
  if (more < 0 || all <= 0) return {more < 0 ? "-" : "0", "-"};
  return {rate_text(more / status.seconds), std::to_string(std::llround(100 * more / all)) + " %"};
}

// What of it is among what is wrong now, if anything: what only failed last may be as well as ever,
// and a breaker may be open that no record may try now.
const Json* trouble_of(const TopStatus& status, const std::string& target) {
  for (const Json& one : status.now.at("troubles")) {
    if (text_of(one, "what") == "target" && text_of(one, "name") == target &&
        one.at("ended").is_null()) {
      return &one;
    }
  }
  return nullptr;
}

struct ColouredText {
  std::string text;
  Colour colour = Colour::none;
};

ColouredText target_text(const TopStatus& status, const Json& target) {
  const std::string unusable = text_of(target, "unusable"), failed = text_of(target, "trouble");
  if (!unusable.empty()) return {unusable, Colour::red};
  const std::string why = failed.empty() ? "" : ": " + failed;
  const Json* trouble = trouble_of(status, text_of(target, "name"));
  const Json& breaker = target.at("breaker");
  if (text_of(breaker, "state") != "closed") {
    if (trouble != nullptr && text_of(*trouble, "severity") != "bad") {
      return {text_of(*trouble, "says"), Colour::yellow};
    }
    const std::string next = until_in_words(breaker.at("until"), status.now_us);
    return {"circuit breaker open, " + (next.empty() ? "is tried" : "next try " + next) + why,
            Colour::red};
  }
  if (!target.at("held_until").is_null()) {
    const std::string until = until_in_words(target.at("held_until"), status.now_us);
    return {"paused (Retry-After), goes on " + until, Colour::yellow};
  }
  if (!failed.empty() && trouble != nullptr) return {"attempts fail" + why, Colour::yellow};
  const std::string warning = text_of(target, "warning");
  if (!warning.empty()) return {warning, Colour::yellow};
  return {failed.empty() ? "healthy" : "last attempt failed" + why};
}

}  // namespace

TopTable::TopTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  Row heading{{}, Colour::bold};
  for (const Column& column : columns_) heading.cells.push_back(column.heading);
  rows_.push_back(std::move(heading));
}

void TopTable::add(std::vector<std::string> cells, Colour colour) {
  for (std::string& cell : cells) cell = shown(cell);
  rows_.push_back({std::move(cells), colour});
}

void TopTable::into(TopLines& lines) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.least);
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], characters_of(row.cells[i]));
    }
  }
  lines.push_back({"", Colour::none});
  for (const Row& row : rows_) {
    std::string text;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) text.append(kBetween, ' ');
      const std::string blanks(widths[i] - characters_of(row.cells[i]), ' ');
      text += columns_[i].right ? blanks + row.cells[i] : row.cells[i] + blanks;
    }
    lines.push_back({std::move(text), row.colour});
  }
}

void add_routes(TopLines& lines, const TopStatus& status) {
  const std::vector<std::string> reasons = reasons_shown(status.now.at("routes"));
  std::vector<TopTable::Column> columns = {
      left("ROUTE", kName), {"deliv/s"}, {"inside"}, {"lag"}, {"oldest", kSpan}};
  for (const std::string& reason : reasons) columns.push_back({word_of(reason)});
  columns.push_back({"flight", 6});
  TopTable table(std::move(columns));
  for (const Json& route : status.now.at("routes")) {
    std::vector<std::string> cells = {
        name_of(status, route), rate_or_none(rate(status, "routes", route, "delivered")),
        count(route, "inside"), count(route, "lag"), seconds(route.at("lag_seconds"))};
    const Json& waits = route.at("waiting");
    for (const std::string& reason : reasons) {
      cells.push_back(std::to_string(waits.value(reason, std::uint64_t{0})));
    }
    cells.push_back(count(waits, "in_flight"));
    table.add(std::move(cells));
  }
  table.into(lines);
}

void add_limits(TopLines& lines, const TopStatus& status) {
  if (status.now.at("limits").empty()) return;
  TopTable table({left("LIMIT", kName),
                  {"allows", 14},
                  {"used/s here", kUsed},
                  {"waiting"},
                  left("keys at their limit")});
  for (const Json& limit : status.now.at("limits")) {
    std::string keys;
    if (!limit.at("keys").is_null()) {
      keys = count(limit, "keys_full") + " of " + count(limit, "keys");
    }
    if (limit.at("shadow").get<bool>()) keys += "  (shadow: not enforced)";
    table.add({name_of(status, limit), allowed_text(limit),
               rate_or_none(rate(status, "limits", limit, "admitted")), count(limit, "waiting"),
               keys});
  }
  table.into(lines);
}

void add_shares(TopLines& lines, const TopStatus& status) {
  if (status.now.at("shares").empty()) return;
  TopTable table({left("SHARE", 18),
                  left("flow or level", kName),
                  {"weight"},
                  {"used/s here", kUsed},
                  {"part"},
                  {"waiting"}});
  for (const Json& share : status.now.at("shares")) {
    const std::string name = name_of(status, share);
    for (const Json& flow : share.at("flows")) {
      const auto used = used_of(status, share, {.flow = text_of(flow, "name")});
      table.add({name, name_of(status, flow), count(flow, "weight"), used[0], used[1]});
    }
    const Json& levels = share.at("levels");
    for (const Json& level : levels) {
      const auto used = used_of(status, share, {.level = text_of(level, "name")});
      const std::string which = levels.size() > 1 ? "level " + text_of(level, "name") : "all";
      table.add({name, name_in(status, which), "-", used[0], used[1], count(level, "waiting")});
    }
  }
  table.into(lines);
}

void add_targets(TopLines& lines, const TopStatus& status) {
  TopTable table({left("TARGET", kName), {"flight"}, left("state")});
  for (const Json& target : status.now.at("targets")) {
    const ColouredText condition = target_text(status, target);
    table.add({name_of(status, target), count(target, "in_flight"), condition.text},
              condition.colour);
  }
  table.into(lines);
}

void add_longest(TopLines& lines, const TopStatus& status) {
  const Json& longest = status.now.at("longest_lines");
  TopTable table({left("LONGEST LINES (" + std::to_string(longest.size()) + " of " +
                           count(status.now, "lines") + ")",
                       32),
                  left("ROUTE", 16),
                  {"waiting"},
                  {"oldest", kSpan},
                  {"drains in", kSpan},
                  left("waits for")});
  for (const Json& line : longest) {
    table.add({name_in(status, keys_of(line.at("keys"))), name_of(status, line, "route"),
               count(line, "waiting"), ago(line.at("oldest"), status.now_us),
               seconds(line.at("drain_seconds")), waits_text(line)});
  }
  table.into(lines);
}

}  // namespace einlass::app
