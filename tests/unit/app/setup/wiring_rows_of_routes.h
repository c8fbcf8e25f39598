// Rows of wiring_table.h: routes.
#pragma once

#include <string>
#include <vector>

#include "app/json/json_needs.h"
#include "app/permits/process_limits.h"
#include "app/record/dead_record.h"
#include "app/record/filters.h"
#include "app/record/record_store.h"
#include "app/record/record_times.h"
#include "app/record/share_fields.h"
#include "net/digest.h"
#include "unit/app/setup/wiring_table.h"

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

// Without a share its route has the order of all.
inline std::string with_share(const std::string& share) {
  return "targets: {t: {" + kHttp + "}}\nshares: {s: {" + share +
         "}}\nroutes: [{name: r, topics: [a], target: t, order: key, share: s}]\n";
}

// What a record with the key `acme` and a header `class: bulk` says.
inline core::FlowMark mark_of(const Config& c) {
  kafka::Message message;
  message.topic = "a";
  message.key = "acme";
  const std::vector<kafka::Header> headers = {{"class", "bulk"}};
  message.headers = headers;
  StoredRecord record;
  record.fill(message, core::RouteId{0});
  const FlowWeights none{};
  return Shares(c, none).read(core::RouteId{0}, record);
}

// Whether all who have to do with a limit that the flows of all gates divide are told.
inline std::string fleet_share_of(const Config& c) {
  const bool gate = route(c).fleet_limits == 1;
  const bool store = ProcessLimits(c).limit(0)->by_flows && c.limits.at(0).limit.by_flows;
  const bool flow = mark_of(c).in_fleet == FlowId{net::sha256_front("acme")};
  return agreed({gate ? "s" : "none", store ? "s" : "none", flow ? "s" : "none"});
}

inline std::vector<Row> rows_of_shares() {
  const std::string levels = "levels: {by: 'header:class', names: [urgent, bulk, last]}";
  return {
      {"routes[].share",
       "targets: {t: {" + kHttp +
           "}}\nshares: {s: {by: record_key}}\nroutes: [{name: r, topics: [a], target: t, order: "
           "key}]\n",
       "s", [](const Config& c) { return route(c).share.on() ? "s" : "none"; }, "s", "none"},
      {"shares.NAME.by", with_share(""), "record_key",
       [](const Config& c) {
         return mark_of(c).key.value == keyed_hash("acme") ? "record_key" : "none";
       },
       "record_key", "none"},
      {"shares.NAME.weight", with_share("by: record_key"), "{acme: 7}",
       [](const Config& c) { return text(mark_of(c).weight); }, "7", "1"},
      {"shares.NAME.levels.by", with_share("levels: {names: [urgent, bulk, last]}"),
       "'header:class'", [](const Config& c) { return text(mark_of(c).level); }, "1"},
      {"shares.NAME.levels.names", with_share("levels: {by: 'header:class'}"), "[bulk, last]",
       [](const Config& c) { return text(route(c).share.levels); }, "2"},
      {"shares.NAME.levels.keep", with_share(levels), "7%",
       [](const Config& c) { return text(route(c).share.keep) + "%"; }},
      {"limits.NAME.share",
       "shares: {s: {by: record_key}}\nlimits: {k: {algorithm: token_bucket, rate: 1/s, burst: "
       "1}}\n"
       "targets: {t: {" +
           kHttp +
           "}}\nroutes: [{name: r, topics: [a], target: t, order: key, limits: [k], share: s}]\n",
       "s", fleet_share_of, "s", "none"},
  };
}

// Whether the route's filter lets a record with that `status` pass.
inline bool lets_pass(const Config& c, const char* value = "paid") {
  kafka::Message message;
  message.topic = "a";
  const std::vector<kafka::Header> headers = {{"status", value}};
  message.headers = headers;
  StoredRecord record;
  record.fill(message, core::RouteId{0});
  return Filters(c).lets_pass(core::RouteId{0}, record);
}

inline std::string with_condition(const std::string& text) {
  return around(kLog, kHttp, "filter: [{" + text + "}]");
}

// What a record says of its own time in the header `at`.
inline RecordTimes times_of(const Config& c) {
  kafka::Message message;
  message.topic = "a";
  const std::vector<kafka::Header> headers = {{"at", "1795581000000"}};
  message.headers = headers;
  StoredRecord record;
  record.fill(message, core::RouteId{0});
  return TimeFields(c).read(core::RouteId{0}, record);
}

inline std::vector<Row> rows_of_filters() {
  const auto passes = [](const Config& c) {
    return std::string(lets_pass(c) ? "paid " : "") + (lets_pass(c, "open") ? "open " : "");
  };
  const std::string dead = around(kLog, kHttp, "dead_letter: dead");
  const Instant at{1'795'581'000'000'000};
  return {
      {"routes[].else",
       "targets: {t: {" + kHttp +
           "}}\nroutes: [{name: r, topics: [a], target: t, filter: [{by: topic, equals: x}]}, "
           "{name: "
           "s, topics: [], target: t}, {name: q, topics: [b], target: t, filter: [{by: topic, "
           "equals: x}], else: s}]\n",
       "s",
       [](const Config& c) {
         const auto next = Filters(c).otherwise(core::RouteId{0});
         return (next ? c.routes.at(next->value).name : "none") +
                (route(c).leads_on ? " leads on" : "");
       },
       "s leads on", "none"},
      {"routes[].not_before", dead, "'header:at'",
       [at](const Config& c) { return times_of(c).not_before == at ? "at" : "at once"; }, "at",
       "at once"},
      {"routes[].expires", dead, "'header:at'",
       [at](const Config& c) { return times_of(c).expires == at ? "at" : "never"; }, "at", "never"},
      {"routes[].filter[].by", with_condition("equals: paid"), "'header:status'", passes, "paid "},
      {"routes[].filter[].equals",
       with_condition("by: 'header:status'"),
       "open",
       passes,
       "open ",
       "",
       {"exists", "false"}},
      {"routes[].filter[].in",
       with_condition("by: 'header:status'"),
       "[open, shut]",
       passes,
       "open ",
       "",
       {"exists", "false"}},
      {"routes[].filter[].not_in",
       with_condition("by: 'header:status'"),
       "[open, shut]",
       passes,
       "paid ",
       "",
       {"exists", "false"}},
      {"routes[].filter[].exists",
       with_condition("by: 'header:status'"),
       "true",
       passes,
       "paid open ",
       "",
       {"in", "[shut]"}},
  };
}

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
      {"routes[].largest_record", around(kLog, kHttp, "dead_letter: dead"), "3MiB",
       [](const Config& c) { return text(json_needs(c).at(0).largest); }},
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
