// The tables of the sections, as they are nested: what may stand in a section of the file is a row
// of its table. Each stands in options_of_*.cc, with what a table cannot say: options with a syntax
// of their own, and rules of more than one option. Here is what those sources share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/model/config.h"
#include "config/tables/fields.h"
#include "config/tables/record_sources.h"

namespace einlass::config {

extern const Rows<Config> kConfig;  // The whole file.
extern const Rows<Kafka> kKafka;
extern const Rows<Redis> kRedis;
extern const Rows<HttpTarget> kTracing;
extern const Rows<Limit> kLimit;
extern const Rows<Share> kShare;
extern const Rows<Target> kTarget;
extern const Rows<HttpTarget> kHttp;
extern const Rows<HttpAuth> kAuth;
extern const Rows<HttpSign> kSign;
extern const Rows<KafkaTarget> kKafkaTarget;
extern const Rows<HttpAuth> kKafkaOauth;
extern const Rows<Route> kRoute;

// What the options of a section say together.
void check_config(Section& top, Config& config);
void check_kafka(Section& section, Kafka& kafka);
void check_redis(Section& section, Redis& redis);
void check_limit(Section& section, Limit& limit);
void check_target(Section& section, Target& target);
void check_http(Section& section, HttpTarget& http);
void check_allowed_hosts(Section& section, const HttpTarget& http);
void check_auth(Section& section, HttpAuth& auth);
void check_kafka_target(Section& section, KafkaTarget& target);
void check_route(Section& section, Route& route);
void check_ways(Section& top, Config& config);

// What is wrong with the limit's numbers, alone and together: the option that is to blame, and why.
struct WrongNumber {
  std::string option;
  std::string text;
};
std::optional<WrongNumber> wrong_number(const Limit& limit, int instances);

// Puts the limits that keep a burst behind all others, each as sound as its own.
void add_bursts(Section& top, Config& config);

// Says that the first is longer than the second, where the file can be changed: not where neither
// is written, for then it was said already where they come from.
void refuse_longer(Section& section, std::string_view shorter, Duration first,
                   std::string_view longer, Duration second);

// Options of an HTTP target with a syntax of their own.
Field<HttpTarget> target_url();
Field<HttpTarget> target_urls();
Field<HttpTarget> target_headers();
Field<HttpTarget> collector_headers();
Field<HttpTarget> proxy();
Field<HttpTarget> statuses(core::Outcome means);
std::string take_host_pattern(Section& section, const Scalar& item, HttpTarget& http);
std::string take_forwarded(Section& section, const Scalar& item, HttpTarget& http);
Parsed<HttpUrl> parse_http_url(const std::string& text);

// True if every request has that header, or one that is sent on may be it.
bool writes_header(const HttpTarget& http, std::string_view name);

// The key of a flow, of a level, of a limit's buckets.
template <class S>
Field<S> key(KeySource S::*member, Parsed<KeySource> (*parse)(const Scalar&) = parse_key) {
  return value(Kind::text, "key", member, parse, [](const KeySource& k) { return to_text(k); });
}

// All numbers that the limit may have; `whose` is "", "for key 'acme' " or "at 'night' ".
void for_each_value(
    const Limit& limit,
    const std::function<void(const limits::Parameters& value, const std::string& whose)>& look);

// Why the gates cannot divide `shared`, which is asked together with the limit; none if they can.
std::optional<std::string> short_ahead(const Limit& limit, const limits::Parameters& parameters,
                                       const Limit& shared);

// Why the target's attempts may outlast their permits; none if they cannot.
std::optional<std::string> short_lease(const Config& config, const Limit& limit,
                                       const limits::Parameters& parameters, const Target& target);

Field<Limit> overrides();
Field<Limit> schedule();

// The algorithm with all its parameters; and one of these where people look it up.
Field<Limit> algorithm();
Field<Limit> parameter(std::string_view name);

Field<Limit> limit_cost();
Field<Route> route_limits();
Field<Route> route_filter();
Field<Route> route_time(std::optional<KeySource> Route::*member);
void check_times(Section& section);
// What the route writes to a topic of the cluster that is read from; empty: nothing.
std::string written_to(Section& section, const Config& config, const Route& route);
// The route's target; null if it is not known. REQUIRES: that was read.
const Target* target_of(Section& section, const Route& route);

}  // namespace einlass::config
