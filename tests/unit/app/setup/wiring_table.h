// The table by which wiring_table_test.cc holds the wiring: what stands in its rows, and the words
// in which a row says what a part was built with. The rows are in wiring_rows_of_*.h.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/permits/process_limits.h"
#include "app/setup/wiring.h"
#include "config/model/address.h"
#include "config/model/config.h"
#include "config/text/values.h"
#include "unit/config/files.h"

namespace einlass::app::wiring_table {

using config::Config;
using config::to_text;

struct Row {
  std::string option;  // As in the table of options, as "limits.NAME.window".
  std::string around;  // A configuration without it, good as it is unless the option is required.
  std::string value;   // As it would be written, and unlike the default.
  // What the part that the option is for is built with, by the program's own wiring.
  std::function<std::string(const Config&)> seen;

  // What is seen with it, where that is not the value as it is written.
  std::optional<std::string> arrives{};
  // What is seen without it, where the table of options does not say.
  std::optional<std::string> without{};
  // Another one in its section that is needed without it, with a value; or, with an empty value,
  // that cannot stand there without it.
  std::pair<std::string, std::string> beside{};
};

// ---- configurations ----

inline const std::string kLog = "algorithm: sliding_log, limit: 100, window: 1s";
inline const std::string kHttp = "http: {url: 'http://h/'}";

// One limit, one target and one route, each with that in it; and what else stands at the top.
inline std::string around(const std::string& limit, const std::string& target = kHttp,
                          const std::string& route = "order: partition",
                          const std::string& top = "") {
  return "limits: {l: {" + limit + "}}\ntargets: {t: {" + target +
         "}}\nroutes: [{name: r, topics: [a], target: t, limits: [l], " + route + "}]\n" + top;
}
inline const std::string kPlain = around(kLog);
inline std::string with_target(const std::string& target, const std::string& top = "") {
  return around(kLog, target, "order: partition", top);
}
inline std::string with_http(const std::string& http) {
  return with_target("http: {" + http + "}");
}
inline std::string with_top(const std::string& top) { return kPlain + top; }
inline const std::string kTwoShards = with_top("shards: 2\n");

// A file with that text, until the process ends.
inline std::string file_with(const std::string& text) {
  static std::deque<config::TemporaryFile> files;
  return files.emplace_back(text).path();
}

// ---- the program's own wiring, for the only target, route and limit ----

inline constexpr ShardNumber kAlone{};

inline core::GateOptions gate(const Config& c) { return gate_options(c, kAlone, 1); }
inline core::RouteOptions route(const Config& c) { return gate(c).routes.at(0); }
inline core::TargetOptions target(const Config& c) { return gate(c).targets.at(0); }
inline kafka::SourceOptions source(const Config& c) { return source_options(c, kAlone); }
inline redis::StoreOptions redis_store(const Config& c) { return redis_options(c, RunId{}); }
inline http::TargetOptions http_target(const Config& c) {
  return target_options(c, c.targets.at(0), kAlone);
}
inline kafka::TargetOptions kafka_target(const Config& c) {
  return kafka_target_options(c, c.targets.at(0), kAlone);
}

// ---- words ----

inline std::string text(const std::string& value) { return value; }
inline std::string text(bool value) { return value ? "true" : "false"; }
inline std::string text(int value) { return std::to_string(value); }
inline std::string text(std::uint32_t value) { return std::to_string(value); }
inline std::string text(std::int64_t value) { return std::to_string(value); }
inline std::string text(std::size_t value) { return std::to_string(value); }
inline std::string text(Permits value) { return std::to_string(value.value); }
inline std::string text(Duration value) { return to_text(value); }
inline std::string text(Bytes value) { return to_text(value); }
inline std::string text(limits::Rate value) { return to_text(value); }

inline std::string joined(std::span<const std::string> texts, const std::string& between = ",") {
  std::string all;
  for (const std::string& one : texts) all += (&one == texts.data() ? "" : between) + one;
  return all;
}

// "name=value" of each, with commas between them.
template <class Pairs>
std::string pairs(const Pairs& of) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : of) texts.push_back(name + "=" + value);
  return joined(texts);
}

// What several parts were built with: the same, or what each has.
inline std::string agreed(std::initializer_list<std::string> seen) {
  for (const std::string& one : seen) {
    if (one != *seen.begin()) return joined(std::vector<std::string>(seen), " but ");
  }
  return *seen.begin();
}

// What each shard gets of it, as "3 + 2".
template <class Part>
std::string by_shard(const Config& c, Part part) {
  std::vector<std::string> parts;
  for (const ShardNumber shard : shard_numbers(c)) parts.push_back(text(part(shard)));
  return joined(parts, " + ");
}

// A parameter of the limit: in the memory of the process, and as it is written into Redis' calls.
template <class P, class Read>
std::string parameter(const Config& c, Read read) {
  const ProcessLimits process(c);
  const config::Limit* limit = &c.limits.at(0);
  const std::string_view no_key;
  const auto buckets = redis_buckets({&limit, 1}, {&no_key, 1});
  return agreed({read(std::get<P>(process.limit(0)->parameters)),
                 read(std::get<P>(buckets.at(0).limit->parameters))});
}

// The same of one whose member says it all.
template <class P, class Value>
std::function<std::string(const Config&)> parameter(Value P::*member) {
  return [member](const Config& c) {
    return parameter<P>(c, [member](const P& parameters) { return text(parameters.*member); });
  };
}

// A truth among the parameters, and what stands for it.
template <class P>
std::function<std::string(const Config&)> parameter(bool P::*member, const std::string& no,
                                                    const std::string& yes) {
  return [=](const Config& c) {
    return parameter<P>(c, [=](const P& parameters) { return parameters.*member ? yes : no; });
  };
}

}  // namespace einlass::app::wiring_table
