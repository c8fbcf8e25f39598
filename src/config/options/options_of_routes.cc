// routes[]: what is read, and where its records go.
#include <algorithm>

#include "config/options/route_topics.h"
#include "config/tables/tables.h"
#include "units/topic_pattern.h"

namespace einlass::config {
namespace {

void read_name(Section& section, Route& route) {
  section.read(route.name, [&](const Scalar& scalar) -> Parsed<std::string> {
    auto name = parse_kafka_name(scalar);
    const auto& routes = section.reading().config.routes;
    const auto same = [&](const Route& other) { return other.name == scalar.text; };
    if (refused(name) || std::none_of(routes.begin(), routes.end(), same)) return name;
    return Refusal{"is another route's name already"};
  });
}

Parsed<std::string> parse_topic(const Scalar& scalar) {
  if (!TopicPattern::is_one(scalar.text)) return parse_kafka_name(scalar);
  const std::string refusal = TopicPattern::refusal(scalar.text);
  if (!refusal.empty()) return Refusal{refusal};
  return parse_text(scalar);
}

// A topic is read once: its records' offsets belong to one route.
std::string take_topic(Section& section, const Scalar& item, Route& route) {
  const auto topic = parse_topic(item);
  if (const auto* refusal = std::get_if<Refusal>(&topic)) return refusal->text;
  route.topics.push_back(item.text);
  Reading& reading = section.reading();
  const std::size_t index = reading.config.routes.size() - 1;  // Of this route.
  const auto [known, is_new] = reading.topics.emplace(item.text, index);
  if (is_new) return "";
  if (known->second == index) return "is written twice; keep one of them";
  return "is read by routes[" + std::to_string(known->second) +
         "] already; a topic belongs to one route";
}

void read_dead_letter(Section& section, Route& route) {
  section.read(route.dead_letter, [&](const Scalar& scalar) -> Parsed<std::string> {
    if (!reads(route, scalar.text)) return parse_kafka_name(scalar);
    return Refusal{"is one of the route's own topics, so records would go round forever"};
  });
}

// The same field with another reader.
Field<Route> read_by(void (*read)(Section&, Route&), Field<Route> field) {
  field.read = read;
  return field;
}

const Rows<RouteRetry> kRetry = all_live<RouteRetry>({
    {"initial", duration(&RouteRetry::initial, millis(1), hours(1)),
     "Upper bound of the first delay; it doubles with each attempt. Default: the target's."},
    {"max", duration(&RouteRetry::max, millis(1), hours(24)),
     "Upper bound of the delay. Default: the target's."},
    {"attempts", number(&RouteRetry::attempts, 0, 1'000'000),
     "Attempts before a record becomes a dead letter; 0 = unlimited."},
});

const Rows<Inside> kInside = all_live<Inside>({
    {"records", number(&Inside::records, 1, 1'000'000),
     "Records of one partition. With `order: key` or `none` at most about 3,400 are used, because "
     "the metadata of a commit cannot describe more that finished out of order."},
    {"bytes", size(&Inside::bytes, kLeastInside, {std::int64_t{16} << 30}),
     "Memory that the records of one partition use."},
});

void check_retry(Section& section, Route& route, bool has_dead_letter) {
  refuse_longer(section, "initial", route.retry.initial, "max", route.retry.max);
  if (route.retry.attempts == 0 || has_dead_letter) return;
  section.wrong("attempts",
                "after these a record needs somewhere to go, for nothing is thrown away; write "
                "dead_letter: TOPIC, or attempts: 0");
}

// Flows are the same in all that they share: who they are, and what they weigh.
void check_flows(Section& section, const Route& route) {
  if (!section.sound({"limits", "share"})) return;
  const Config& config = section.reading().config;
  for (const std::size_t index : route.limits) {
    const Limit& limit = config.limits[index];
    if (!limit.share || limit.share == route.share) continue;
    const std::string& share = config.shares[*limit.share].name;
    const std::string has = route.share ? "is " + in_quotes(config.shares[*route.share].name)
                                        : std::string("is not there");
    section.wrong("share", has + ", but its limit " + in_quotes(limit.limit.name) + " has share " +
                               in_quotes(share) +
                               ", and all who share a limit need the same; write "
                               "share: " +
                               share);
  }
}

// The reason is in the message, for it is the one thing about shares that people get wrong.
void check_order(Section& section, const Route& route) {
  if (!route.share || route.order != core::Order::partition) return;
  section.wrong("share",
                "divides nothing with order: partition, for there only the first record of each "
                "partition may leave; write order: key or order: none");
}

}  // namespace

const Target* target_of(Section& section, const Route& route) {
  const bool known = section.has("target") && section.sound({"target"});
  return known ? &section.reading().config.targets[route.target] : nullptr;
}

const Rows<Route> kRoute = {
    {"name", read_by(read_name, name(&Route::name)).required("NAME"),
     "The route's name in metrics, logs and dead letters."},
    {"topics", list("list of topics", &Route::topics, 1'000, take_topic).required("[TOPIC]"),
     "Topics to read; each belongs to one route only. A name that begins with ^ is a pattern. `[]` "
     "for "
     "a route that only gets what others leave to it by `else`."},
    {"target", reference(&Route::target, "target", &Config::targets).required("NAME"),
     "Where records are delivered."},
    {"filter", route_filter().live(),
     "Which records are delivered: those that meet all of these conditions. The others are "
     "finished "
     "without a permit and without an attempt, and counted."},
    {"else", name(&Route::otherwise).live(),
     "The route that delivers what the filter leaves out: its filter is tested next, and its "
     "target, "
     "limits, order and all else hold for them."},
    {"not_before", route_time(&Route::not_before).live(),
     "Where a record says from when on it may be delivered, as for `expires`. Until then it waits, "
     "in the gate, and so do the records ordered behind it."},
    {"expires", route_time(&Route::expires).live(),
     "Where a record says until when it may be delivered: `header:NAME` or `json:/field`, with a "
     "time as 2026-11-25T04:30:00Z or in milliseconds since 1970. After that it is dead-lettered."},
    {"limits", route_limits(),
     "Limits to apply, all or nothing. When several deny, the one that has a permit last is "
     "reported as the reason; of several at the same instant the first in this list. All must use "
     "the same store."},
    {"order", choice(&Route::order, {"partition", "key", "none"}),
     "Which records are delivered one after the other: those of a partition, those of a key in it, "
     "or none."},
    {"share", reference(&Route::share, "share", &Config::shares),
     "The share by which this route's records divide their limits, in one gate; with `order` key "
     "or none."},
    {"retry", section(&Route::retry, kRetry), "When a failed attempt is retried."},
    {"dead_letter", read_by(read_dead_letter, name(&Route::dead_letter)).called("topic").live(),
     "Topic for refused records; without it they are retried forever, and the records behind them "
     "wait."},
    {"largest_record", size(&Route::largest_record, {1024}, {std::int64_t{1} << 30}).live(),
     "The most that a record's key, value and headers may have together. A larger one is not read "
     "as JSON, nor sent: it becomes a dead letter. Without `dead_letter` there is no such bound."},
    {"inside", section(&Route::inside, kInside),
     "The most that may be in the gate for each partition."},
};

void check_route(Section& section, Route& route) {
  const Config& config = section.reading().config;
  Section& retry = section.opened("retry");
  const Target* target = target_of(section, route);
  if (target != nullptr) {
    const auto said = [&](std::string_view name) { return retry.has(name) && retry.sound({name}); };
    if (!said("initial")) route.retry.initial = target->retry.initial;
    if (!said("max")) route.retry.max = target->retry.max;
  }
  check_retry(retry, route, section.has("dead_letter"));
  check_order(section, route);
  check_flows(section, route);
  check_times(section);
  const std::string written = written_to(section, config, route);
  if (!reads(route, written)) return;
  section.wrong("target", "writes to " + in_quotes(written) +
                              ", which this route reads, so records would go round forever");
}

}  // namespace einlass::config
