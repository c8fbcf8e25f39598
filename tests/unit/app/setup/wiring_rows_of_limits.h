// Rows of wiring_table.h: limits.
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <variant>
#include <vector>

#include "app/permits/schedules.h"
#include "app/permits/shadows.h"
#include "app/permits/stand_in.h"
#include "app/record/extract.h"
#include "config/limits/parameters.h"
#include "core/lines/line.h"
#include "unit/app/record/stored.h"
#include "unit/app/setup/wiring_table.h"

namespace einlass::app::wiring_table {

// ---- what the limit reads in a record, which has something else in each field ----

struct OfARecord {
  std::string key;
  std::string cost;
  bool bad = false;
};

inline OfARecord read(const Config& c) {
  static const std::vector<kafka::Header> kHeaders = {{"tenant", "of-header"}, {"weight", "5"}};
  kafka::Message message;
  message.topic = "of-topic";
  message.number = PartitionNumber{7};
  message.key = "of-key";
  message.value = R"({"tenant": "of-json", "weight": 6})";
  message.headers = kHeaders;
  RecordFields fields({&c.limits.at(0)});
  const Stored stored(message, needs_of({&c.limits.at(0)}));
  const Extracted found = fields.read(stored.record);
  return {std::string(found.keys[0]), text(found.cost), found.bad != nullptr};
}

// The key; and whether the gate takes the limit for one that all lines share.
inline std::string key_of(const Config& c) {
  return read(c).key + (route(c).keyless_limits == 1 ? " (shared)" : "");
}

// A number that is the limit's; "record" where the gate is told that records bring theirs, and the
// cost of this one.
inline std::string cost_of(const Config& c) {
  if (route(c).cost_varies) return "record: " + read(c).cost;
  return agreed({text(ProcessLimits(c).limit(0)->cost), text(c.limits.at(0).limit.cost)});
}

// ---- what stands in for Redis ----

inline std::string in_an_outage(const Config& c) {
  const core::StoreId store = route(c).store;
  if (store == kRedisStore) return "hold";
  if (store != kRedisOrStandIn) return "memory";
  ProcessLimits process(c);
  core::Events events;
  StandIn stand_in(c, process, events);
  constexpr Permits kMost{core::kMostPerAsk};
  stand_in.ask({core::LineId{0}, core::AskId{1}, Permits{1}, kMost, Duration{}}, core::RouteId{0},
               {""}, Instant{1'800'000'000'000'000});
  const auto granted =
      static_cast<std::int64_t>(std::get<core::PermitsAnswered>(events.back()).due.size());
  return granted == kMost.value ? "pass" : granted == 100 ? "local_share" : std::to_string(granted);
}

inline std::string who_obeys(const Config& c) {
  boost::asio::io_context io;
  ProcessLimits process(c);
  const Shadows shadows(io, c, process, [](const Notice&) {});
  return text(int{route(c).limit_count}) + " obeyed, " +
         text(shadows.counts(core::RouteId{0}).size()) + " watched";
}

inline std::string store_of(const Config& c) {
  const core::StoreId store = route(c).store;
  return store == kMemoryStore ? "memory" : store == kRedisStore ? "redis" : "another";
}

inline std::string spread_of(const Config& c) {
  const config::Limit* limit = &c.limits.at(0);
  const std::string_view key = "k";
  return text(redis_buckets({&limit, 1}, {&key, 1}).at(0).spread);
}

inline std::string algorithm_of(const Config& c) {
  const auto name = [](const limits::Limit& limit) {
    return std::string(config::algorithm_name(limit.parameters));
  };
  return agreed({name(*ProcessLimits(c).limit(0)), name(c.limits.at(0).limit)});
}

// Counted windows all have these.
template <class P>
void add_windows(std::vector<Row>& rows, const std::string& algorithm) {
  const std::string named = "algorithm: " + algorithm;
  rows.push_back(
      {"limits.NAME.algorithm", around("limit: 100, window: 1s"), algorithm, algorithm_of});
  rows.push_back({"limits.NAME.limit", around(named + ", window: 1s"), "7", parameter(&P::limit)});
  rows.push_back(
      {"limits.NAME.window", around(named + ", limit: 100"), "7s", parameter(&P::window)});
}

// What a burst of 20 becomes that another limit keeps.
inline std::string kept_burst(const Config& c) {
  const config::Route& r = c.routes.at(0);
  if (r.limits.size() == 1) return "none";
  const config::Limit& pace = limit_of(c, r, 1);
  const auto& p = std::get<limits::SlidingLogParameters>(pace.limit.parameters);
  return pace.limit.name + " " + text(p.limit) + " in " + text(p.window);
}

inline const std::string kNoBurst =
    "refused: limits.NAME.burst:1:13: limits.l.burst: missing; write burst: 100";

inline std::vector<Row> rows_of_windows() {
  using limits::FixedWindowParameters;
  using limits::SlidingLogParameters;
  using limits::SlidingWindowParameters;
  const std::string windows = ", limit: 100, window: 1s";
  std::vector<Row> rows = {
      {"limits.NAME.align", around("algorithm: fixed_window" + windows), "key",
       parameter(&FixedWindowParameters::by_key, "epoch", "key")},
      {"limits.NAME.even", around("algorithm: sliding_log" + windows), "50%",
       parameter(&SlidingLogParameters::even), "50", "90"},
      {"limits.NAME.burst",
       around("algorithm: sliding_log" + windows),
       "20",
       parameter(&SlidingLogParameters::burst),
       {},
       "0"},
      {"limits.NAME.slices", around("algorithm: sliding_window" + windows), "5",
       parameter(&SlidingWindowParameters::slices)},
      {"limits.NAME.log", around("algorithm: sliding_window" + windows), "newest",
       parameter(&SlidingWindowParameters::log_newest, "", "newest")},
  };
  add_windows<SlidingLogParameters>(rows, "sliding_log");
  add_windows<SlidingWindowParameters>(rows, "sliding_window");
  add_windows<FixedWindowParameters>(rows, "fixed_window");
  add_windows<limits::CounterParameters>(rows, "counter");
  for (const char* algorithm : {"fixed_window", "counter", "sliding_window"}) {
    rows.push_back({"limits.NAME.burst", around("algorithm: " + std::string(algorithm) + windows),
                    "20", kept_burst, "l/burst 20 in 180ms", "none"});
  }
  return rows;
}

inline std::vector<Row> rows_of_algorithms() {
  const std::string rate = "rate: 10/s";
  return {
      {"limits.NAME.algorithm", around(rate + ", burst: 5"), "token_bucket", algorithm_of},
      {"limits.NAME.algorithm", around(rate + ", burst: 5"), "gcra", algorithm_of},
      {"limits.NAME.algorithm", around(rate + ", burst: 5"), "smooth", algorithm_of},
      {"limits.NAME.algorithm", around(rate + ", capacity: 5"), "leaky_bucket", algorithm_of},
      {"limits.NAME.algorithm", around("limit: 5, lease: 1m"), "concurrency", algorithm_of},
      // Only of those that count what is under way the gate tells each attempt's end.
      {"limits.NAME.algorithm", around("limit: 5, lease: 1m"), "concurrency",
       [](const Config& c) { return text(route(c).held_limits); }, "1"},
      {"limits.NAME.algorithm", around("limit: 5, window: 1s"), "counter",
       [](const Config& c) { return text(route(c).held_limits); }, "0"},
  };
}

inline std::vector<Row> rows_of_buckets() {
  using limits::ConcurrencyParameters;
  using limits::GcraParameters;
  using limits::LeakyBucketParameters;
  using limits::SmoothParameters;
  using limits::TokenBucketParameters;
  using limits::WarmUpParameters;
  const std::string gcra = "algorithm: gcra, ", bucket = "algorithm: token_bucket, ",
                    leaky = "algorithm: leaky_bucket, ";
  const std::string smooth = "algorithm: smooth, ", rate = "rate: 10/s";
  return {
      {"limits.NAME.limit", around("algorithm: concurrency, lease: 1m"), "7",
       parameter(&ConcurrencyParameters::limit)},
      {"limits.NAME.lease", around("algorithm: concurrency, limit: 7"), "2m",
       parameter(&ConcurrencyParameters::lease)},
      {"limits.NAME.start", around(bucket + rate + ", burst: 5"), "empty",
       parameter(&TokenBucketParameters::starts_empty, "full", "empty")},
      {"limits.NAME.rate", around(bucket + "burst: 5"), "7/s",
       parameter(&TokenBucketParameters::rate)},
      {"limits.NAME.rate", around(gcra + "burst: 5"), "7/s", parameter(&GcraParameters::rate)},
      {"limits.NAME.rate", around(smooth + "warm_up: 5s"), "7/s",
       parameter(&WarmUpParameters::rate)},
      {"limits.NAME.rate", around(leaky + "capacity: 5"), "7/s",
       parameter(&LeakyBucketParameters::rate)},
      {"limits.NAME.rate", around(smooth + "burst: 5"), "7/s", parameter(&SmoothParameters::rate)},
      {"limits.NAME.burst",
       around(bucket + rate),
       "7",
       parameter(&TokenBucketParameters::burst),
       {},
       kNoBurst},
      {"limits.NAME.burst",
       around(gcra + rate),
       "7",
       parameter(&GcraParameters::burst),
       {},
       kNoBurst},
      {"limits.NAME.burst",
       around(smooth + rate),
       "7",
       parameter(&SmoothParameters::burst),
       {},
       kNoBurst},
      {"limits.NAME.capacity", around(leaky + rate), "7",
       parameter(&LeakyBucketParameters::capacity)},
      {"limits.NAME.mode", around(leaky + rate + ", capacity: 5"), "queue",
       parameter(&LeakyBucketParameters::queue, "meter", "queue")},
      {"limits.NAME.timeout", around(smooth + rate + ", burst: 5"), "3s",
       parameter(&SmoothParameters::timeout)},
      {"limits.NAME.pay",
       around(smooth + rate + ", burst: 5"),
       "next",
       parameter(&SmoothParameters::pay_next, "now", "next"),
       {},
       "now"},
      {"limits.NAME.warm_up",
       around(smooth + rate),
       "7s",
       [](const Config& c) {
         const auto* warm = std::get_if<WarmUpParameters>(&c.limits.at(0).limit.parameters);
         return warm == nullptr ? "" : parameter(&WarmUpParameters::warm_up)(c);
       },
       {},
       {},
       {"burst", "5"}},
  };
}

// What holds for the only key that has other numbers, or for all at a time that has others.
template <class P, class T>
std::function<std::string(const Config&)> of_others(T P::*member) {
  return [=](const Config& c) {
    boost::asio::io_context io;
    ProcessLimits limits(c);
    const Schedules schedules(
        io, c, limits.values(), [] { return Instant{}; }, [](const Notice&) {});
    return text(std::get<P>(limits.values().find(0, "k")->parameters).*member);
  };
}

// Of `section`, in which those stand under `name`.
inline std::vector<Row> rows_of_others(const std::string& section, const std::string& name) {
  using limits::ConcurrencyParameters;
  using limits::LeakyBucketParameters;
  using limits::SlidingLogParameters;
  using limits::SlidingWindowParameters;
  using limits::SmoothParameters;
  using limits::TokenBucketParameters;
  using limits::WarmUpParameters;
  const auto row = [&](const std::string& option, const std::string& own, const std::string& beside,
                       const std::string& value, auto member, const std::string& without,
                       std::optional<std::string> arrives = {}) {
    return Row{"limits.NAME." + section + ".NAME." + option,
               around("algorithm: " + own + ", key: topic, " + section + ": {'" + name + "': {" +
                      beside + "}}"),
               value,
               of_others(member),
               std::move(arrives),
               without};
  };
  const std::string log = "sliding_log, limit: 100, window: 1s";
  const std::string window = "sliding_window, limit: 100, window: 1s";
  const std::string bucket = "token_bucket, rate: 10/s, burst: 5";
  const std::string smooth = "smooth, rate: 10/s, ";
  return {
      row("limit", log, "window: 2s", "7", &SlidingLogParameters::limit, "100"),
      row("window", log, "limit: 7", "7s", &SlidingLogParameters::window, "1s"),
      row("even", log, "limit: 7", "50%", &SlidingLogParameters::even, "90", "50"),
      row("burst", log, "limit: 7", "3", &SlidingLogParameters::burst, "0"),
      row("slices", window, "limit: 7", "5", &SlidingWindowParameters::slices, "10"),
      row("rate", bucket, "burst: 7", "7/s", &TokenBucketParameters::rate, "10/s"),
      row("start", bucket, "burst: 7", "empty", &TokenBucketParameters::starts_empty, "false",
          "true"),
      row("capacity", "leaky_bucket, rate: 10/s, capacity: 5", "rate: 7/s", "7",
          &LeakyBucketParameters::capacity, "5"),
      row("timeout", smooth + "burst: 5", "rate: 7/s", "3s", &SmoothParameters::timeout, "1s"),
      row("warm_up", smooth + "warm_up: 5s", "rate: 7/s", "7s", &WarmUpParameters::warm_up, "5s"),
      row("lease", "concurrency, limit: 5, lease: 1m", "limit: 7", "2m",
          &ConcurrencyParameters::lease, "1m"),
  };
}

inline std::string strict_of(const Config& c) {
  if (!c.limits.at(0).strict) return "false";
  const auto& log = std::get<limits::SlidingLogParameters>(c.limits.at(0).limit.parameters);
  return "within " + text(route(c).use_within) + " of " + text(log.window);
}

// A route that obeys two limits, one of them with that.
inline std::string two(const std::string& other) {
  return "limits: {l: {" + kLog + "}, m: {" + kLog + ", " + other + "}}\ntargets: {t: {" + kHttp +
         "}}\nroutes: [{name: r, topics: [a], target: t, limits: [l, m]}]\n";
}

// A breaker waits for others for as long as one line may have all permits; not with a key.
inline std::vector<Row> rows_of_silence() {
  const auto silence = [](const Config& c) { return text(target(c).breaker.silence); };
  const auto of_each = [](const Config& c) { return text(http_target(c).breaker.silence); };
  return {
      {"limits.NAME.horizon", kPlain, "250ms", silence, "700ms", "1200ms"},
      {"limits.NAME.horizon", kPlain, "7s", silence, "2200ms", "1200ms"},
      {"limits.NAME.horizon", with_http("urls: ['http://h/', 'http://i/']"), "250ms", of_each,
       "700ms", "1200ms"},
      {"limits.NAME.key", kPlain, "record_key", silence, "200ms", "1200ms"},
  };
}

inline std::vector<Row> rows_of_limits() {
  const std::string in_redis = kLog + ", store: redis";
  std::vector<Row> rows = {
      {"limits.NAME.store", kPlain, "redis", store_of},
      {"limits.NAME.store", kPlain, "redis",
       [](const Config& c) {
         std::vector<std::string> names;
         for (const redis::SharedTarget& one : redis_store(c).targets) names.push_back(one.name);
         return joined(names);
       },
       "t", ""},
      {"limits.NAME.key", kPlain, "record_key", key_of, "of-key", " (shared)"},
      {"limits.NAME.key", kPlain, "topic", key_of, "of-topic", " (shared)"},
      {"limits.NAME.key", kPlain, "partition", key_of, "of-topic-7", " (shared)"},
      {"limits.NAME.key", kPlain, "header:tenant", key_of, "of-header", " (shared)"},
      {"limits.NAME.key", kPlain, "json:/tenant", key_of, "of-json", " (shared)"},
      {"limits.NAME.cost", kPlain, "3", cost_of},
      {"limits.NAME.cost", kPlain, "header:weight", cost_of, "record: 5"},
      {"limits.NAME.cost", kPlain, "json:/weight", cost_of, "record: 6"},
      {"limits.NAME.cost", around("algorithm: counter, limit: 100, window: 1s"), "bytes", cost_of,
       "record: 34"},
      {"limits.NAME.default_cost",
       around(kLog + ", cost: 'header:none'"),
       "7",
       [](const Config& c) { return read(c).cost; },
       {},
       "1"},
      {"limits.NAME.bad_key", around(kLog + ", key: 'header:none'", kHttp, "dead_letter: dead"),
       "dead_letter", [](const Config& c) { return read(c).bad ? "dead_letter" : "default"; }},
      {"limits.NAME.spread", around(in_redis + ", key: record_key"), "true", spread_of},
      {"limits.NAME.horizon",
       kPlain,
       "250ms",
       [](const Config& c) { return text(route(c).horizon); },
       {},
       "500ms"},
      {"limits.NAME.strict", kPlain, "true", strict_of, "within 1ms of 1001ms"},
      {"limits.NAME.use_within", kPlain, "80ms",
       [](const Config& c) { return text(route(c).use_within); }},
      {"limits.NAME.use_within", kPlain, "4ms", [](const Config& c) { return text(route(c).slot); },
       "500us", "2ms"},
      // Of several limits the shortest holds.
      {"limits.NAME.horizon",
       two("horizon: 300ms"),
       "250ms",
       [](const Config& c) { return text(route(c).horizon); },
       {},
       "300ms"},
      {"limits.NAME.use_within",
       two("use_within: 90ms"),
       "80ms",
       [](const Config& c) { return text(route(c).use_within); },
       {},
       "90ms"},
      {"limits.NAME.on_outage", around(in_redis), "pass", in_an_outage},
      {"limits.NAME.on_outage", around(in_redis, kHttp, "order: none", "instances: 1\n"),
       "local_share", in_an_outage},
      {"limits.NAME.shadow", kPlain, "true", who_obeys, "0 obeyed, 1 watched",
       "1 obeyed, 0 watched"},
  };
  for (const auto& part :
       {rows_of_algorithms(), rows_of_buckets(), rows_of_windows(), rows_of_silence(),
        rows_of_others("overrides", "k"), rows_of_others("schedule", "00:00-24:00 Mon-Sun UTC")}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace einlass::app::wiring_table
