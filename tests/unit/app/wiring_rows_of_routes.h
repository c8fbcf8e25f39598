// Rows of wiring_table.h: routes.
#pragma once

#include <string>
#include <vector>

#include "app/dead_record.h"
#include "app/record_store.h"
#include "unit/app/wiring_table.h"

namespace einlass::app::wiring_table {

// The topic of a dead letter of the first route, and the route that it tells of.
inline std::pair<std::string, std::string> dead_letter(const Config& c) {
  kafka::Message message;
  message.topic = "a";
  StoredRecord record;
  record.fill(message, core::RouteId{0});
  const DeadRecordBuilder builder(record, {{0, 0}, core::DeadLetterReason::refused},
                                  c.routes.at(0));
  std::string told;
  for (const kafka::Header& header : builder.record().headers) {
    if (header.name == "einlass-route") told = header.value.value_or("");
  }
  return {std::string(builder.record().topic), told};
}

inline std::string order_of(const Config& c) {
  static constexpr const char* kNames[] = {"partition", "key", "none"};
  return kNames[static_cast<std::size_t>(route(c).order)];
}

inline const std::string kTwoOfEach =
    "limits: {k: {algorithm: token_bucket, rate: 1/s, burst: 1}, l: {" + kLog +
    "}}\ntargets: {s: {" + kHttp + "}, t: {" + kHttp + "}}\n";

inline std::vector<Row> rows_of_routes() {
  const std::string with_pattern =
      "targets: {t: {" + kHttp + "}}\nroutes: [{name: r, topics: ['^a.*'], target: t}]\n";
  return {
      {"routes[].name", "targets: {t: {" + kHttp + "}}\nroutes: [{topics: [a], target: t}]\n",
       "other", [](const Config& c) { return dead_letter(c).second; }},
      {"routes[].topics",
       "targets: {t: {" + kHttp +
           "}}\nroutes: [{name: r, target: t}, {name: s, topics: [x], "
           "target: t}]\n",
       "[b, '^c.*']",
       [](const Config& c) {
         std::vector<std::string> all;
         for (const auto& [name, id] : source(c).topics) {
           all.push_back(name + "=" + c.routes.at(id.value).name);
         }
         return joined(all);
       },
       "b=r,^c.*=r,x=s"},
      {"routes[].target", kTwoOfEach + "routes: [{name: r, topics: [a]}]\n", "t",
       [](const Config& c) { return c.targets.at(route(c).target.value).name; }},
      {"routes[].limits", kTwoOfEach + "routes: [{name: r, topics: [a], target: t}]\n", "[l, k]",
       [](const Config& c) {
         std::vector<std::string> all;
         for (std::size_t i = 0; i < route(c).limit_count; ++i) {
           all.push_back(c.limits.at(route(c).limits.at(i).value).limit.name);
         }
         return joined(all);
       },
       "l,k"},
      {"routes[].order", kPlain, "key", order_of},
      {"routes[].order", kPlain, "none", order_of},
      {"routes[].dead_letter", kPlain, "dead",
       [](const Config& c) {
         const std::string topic = dead_letter(c).first;
         const auto of = [&](bool used) { return used ? "into " + topic : "nowhere"; };
         return agreed({of(!topic.empty()), of(route(c).dead_letter), of(uses_dead_letters(c))});
       },
       "into dead", "nowhere"},
      {"routes[].dead_letter",
       with_pattern,
       "adead",
       [](const Config& c) { return joined(source(c).left_out); },
       {},
       ""},
      {"routes[].retry.initial", kPlain, "350ms",
       [](const Config& c) { return text(route(c).retry_initial); }},
      {"routes[].retry.max", kPlain, "7s",
       [](const Config& c) { return text(route(c).retry_max); }},
      {"routes[].retry.attempts", around(kLog, kHttp, "dead_letter: dead"), "7",
       [](const Config& c) { return text(route(c).attempts); }},
      {"routes[].inside.records", kTwoShards, "77",
       [](const Config& c) { return text(route(c).inside_records); }},
      {"routes[].inside.bytes", kTwoShards, "3MiB",
       [](const Config& c) { return text(route(c).inside_bytes); }},
  };
}

}  // namespace einlass::app::wiring_table
