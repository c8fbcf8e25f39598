// The tables of `einlass top`.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/asking/top_lines.h"
#include "text/span_words.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kName = 20, kNumber = 9, kSpan = 12;

std::string number(const std::string& text) { return column(text, kNumber, true); }

std::string count(const Json& json, const char* name) {
  const Json& value = json.at(name);
  return number(value.is_null() ? "-" : std::to_string(value.get<std::uint64_t>()));
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

void add_heading(TopLines& lines, std::string text) {
  lines.push_back({"", Colour::none});
  lines.push_back({std::move(text), Colour::bold});
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
  if (before == nullptr || status.seconds <= 0) return std::nullopt;
  const double more = one.at(counter).get<double>() - before->at(counter).get<double>();
  return more < 0 ? std::nullopt : std::optional(more / status.seconds);
}

std::string keys_of(const Json& keys) {
  std::string text;
  for (const auto& [limit, key] : keys.items()) {
    text += (text.empty() ? "" : ", ") + key.get<std::string>();
  }
  return text.empty() ? "(all records)" : text;
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

std::string reason_column(const std::string& reason, const std::string& text) {
  return column(text, std::max(kNumber, reason.size() + 2), true);
}

// The permits that flows of a share have used: of one flow or of all, on one level or on all.
double permits_of(const Json& share, const std::string& flow, const std::string& level) {
  double permits = 0;
  for (const Json& one : share.at("flows")) {
    if (!flow.empty() && text_of(one, "name") != flow) continue;
    for (const auto& [name, count] : one.at("permits").items()) {
      if (level.empty() || name == level) permits += count.get<double>();
    }
  }
  return permits;
}

// "used/s here" and the part of what the whole share used; as long as that is not known, nothing.
std::string used_text(const TopStatus& status, const Json& share, const std::string& flow,
                      const std::string& level) {
  const Json* before = find(status, "shares", text_of(share, "name"));
  if (before == nullptr || status.seconds <= 0) return column("-", 14, true) + number("-");
  const double more = permits_of(share, flow, level) - permits_of(*before, flow, level);
  const double all = permits_of(share, "", "") - permits_of(*before, "", "");
  if (more < 0 || all <= 0) return column(more < 0 ? "-" : "0", 14, true) + number("-");
  return column(rate_text(more / status.seconds), 14, true) +
         number(std::to_string(std::llround(100 * more / all)) + " %");
}

TopLine target_line(const Json& target, std::int64_t now_us) {
  std::string trouble = text_of(target, "unusable");
  if (trouble.empty()) trouble = text_of(target, "trouble");
  const Json& breaker = target.at("breaker");
  std::string state = trouble.empty() ? "healthy" : trouble;
  Colour colour = text_of(target, "unusable").empty() ? Colour::none : Colour::red;
  if (text_of(breaker, "state") != "closed") {
    const std::string next = until_in_words(breaker.at("until"), now_us);
    state = "circuit breaker open, " + (next.empty() ? "is tried" : "next try " + next) +
            (trouble.empty() ? "" : ": " + trouble);
    colour = Colour::red;
  } else if (!target.at("held_until").is_null()) {
    state = "paused (Retry-After), goes on " + until_in_words(target.at("held_until"), now_us);
    colour = Colour::yellow;
  }
  return {column(text_of(target, "name"), kName) + count(target, "in_flight") + "  " + state,
          colour};
}

}  // namespace

void add_routes(TopLines& lines, const TopStatus& status) {
  const std::vector<std::string> reasons = reasons_shown(status.now.at("routes"));
  std::string heading = column("ROUTE", kName) + "  deliv/s   inside      lag      oldest";
  for (const std::string& reason : reasons) heading += reason_column(reason, word_of(reason));
  add_heading(lines, heading + "  flight");
  for (const Json& route : status.now.at("routes")) {
    const auto delivered = rate(status, "routes", route, "delivered");
    std::string text = column(text_of(route, "name"), kName) +
                       number(delivered ? std::to_string(std::llround(*delivered)) : "-") +
                       count(route, "inside") + count(route, "lag") +
                       column(seconds(route.at("lag_seconds")), kSpan, true);
    const Json& waits = route.at("waiting");
    for (const std::string& reason : reasons) {
      text += reason_column(reason, std::to_string(waits.value(reason, std::uint64_t{0})));
    }
    const auto in_flight = waits.at("in_flight").get<std::uint64_t>();
    lines.push_back({text + column(std::to_string(in_flight), 8, true), Colour::none});
  }
}

void add_limits(TopLines& lines, const TopStatus& status) {
  if (status.now.at("limits").empty()) return;
  add_heading(lines, column("LIMIT", kName) + column("allows", 16, true) +
                         "   used/s here  waiting  keys at their limit");
  for (const Json& limit : status.now.at("limits")) {
    const auto used = rate(status, "limits", limit, "admitted");
    std::string text = column(text_of(limit, "name"), kName) +
                       column(allowed_text(limit), 16, true) +
                       column(used ? rate_text(*used) : "-", 14, true) + count(limit, "waiting");
    if (!limit.at("keys").is_null()) {
      text += "  " + std::to_string(limit.at("keys_full").get<std::uint64_t>()) + " of " +
              std::to_string(limit.at("keys").get<std::uint64_t>());
    }
    if (limit.at("shadow").get<bool>()) text += "  (shadow: not enforced)";
    lines.push_back({text, Colour::none});
  }
}

void add_shares(TopLines& lines, const TopStatus& status) {
  if (status.now.at("shares").empty()) return;
  add_heading(lines, column("SHARE", kName) + column("flow or level", kName) +
                         "   weight   used/s here     part  waiting");
  for (const Json& share : status.now.at("shares")) {
    const std::string name = column(text_of(share, "name"), kName - 1) + " ";
    for (const Json& flow : share.at("flows")) {
      lines.push_back({name + column(text_of(flow, "name"), kName) + count(flow, "weight") +
                           used_text(status, share, text_of(flow, "name"), ""),
                       Colour::none});
    }
    const Json& levels = share.at("levels");
    for (const Json& level : levels) {
      const std::string shown = levels.size() > 1 ? "level " + text_of(level, "name") : "all";
      lines.push_back({name + column(shown, kName) + number("-") +
                           used_text(status, share, "", text_of(level, "name")) +
                           count(level, "waiting"),
                       Colour::none});
    }
  }
}

void add_targets(TopLines& lines, const TopStatus& status) {
  add_heading(lines, column("TARGET", kName) + "   flight  state");
  for (const Json& target : status.now.at("targets")) {
    lines.push_back(target_line(target, status.now_us));
  }
}

void add_longest(TopLines& lines, const TopStatus& status) {
  const Json& longest = status.now.at("longest_lines");
  const std::string how_many = std::to_string(longest.size()) + " of " +
                               std::to_string(status.now.at("lines").get<std::uint64_t>());
  add_heading(lines, column("LONGEST LINES (" + how_many + ")", 34) + column("ROUTE", 16) +
                         "  waiting      oldest   drains in  waits for");
  for (const Json& line : longest) {
    lines.push_back(
        {column(keys_of(line.at("keys")), 33) + " " + column(text_of(line, "route"), 16) +
             count(line, "waiting") + column(ago(line.at("oldest"), status.now_us), kSpan, true) +
             column(seconds(line.at("drain_seconds")), kSpan, true) + "  " + waits_text(line),
         Colour::none});
  }
}

}  // namespace einlass::app
