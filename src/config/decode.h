// One decoder a section: from the tree to the typed configuration. Each says all that is wrong with
// its section; what it fills in counts only if nothing was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/secrets.h"
#include "config/section.h"

namespace einlass::config {

// Which limits were decoded without a mistake, by their index in Config::limits: checks between
// limits leave out the others, so that one mistake is not told twice.
using Sound = std::vector<bool>;

void decode_service(Section& top, const Environment& environment, Config& config);
void decode_admin(Section& top, Admin& admin);
// That what the shards split is enough for all of them. REQUIRES: everything else is decoded.
void check_shards(Section& top, const Config& config);

void decode_kafka(Section& top, Kafka& kafka);
void decode_redis(Section& top, Redis& redis);
Sound decode_limits(Section& top, int instances, std::vector<Limit>& limits);
// REQUIRES: `kafka` is decoded.
void decode_targets(Section& top, const Kafka& kafka, std::vector<Target>& targets);
void decode_kafka_target(Section& section, const Kafka& kafka, KafkaTarget& target);

// `brokers` and `properties`, as they are written under `kafka` and under a Kafka target.
void decode_brokers(Section& section, std::vector<std::string>& brokers);
void decode_kafka_properties(Section& section, std::map<std::string, std::string>& properties);

// `oauth` beside them; `table` is its own in the options' table. REQUIRES: `properties` is decoded.
void decode_kafka_oauth(Section& parent, std::string_view table,
                        const std::map<std::string, std::string>& properties,
                        std::optional<KafkaOauth>& out);
// True if the properties say how, or as whom, to log in.
bool has_login(const std::map<std::string, std::string>& properties);
// True if no token is sent with that property: it is another login's.
bool hinders_oauth(std::string_view property, std::string_view value);

// What a token is asked for with: of an HTTP target and of Kafka.
void decode_oauth2(Section& section, HttpAuth& auth);

// The URL of an HTTP server, into `out`.
Parsed<HttpUrl> parse_http_url(const std::string& text);

// A URL that may take its host, and parts of its path and query, from a record.
struct UrlTemplate {
  HttpUrl url;    // Without what varies.
  Template host;  // Empty where it does not vary; without the port.
  Template path;  // Likewise; with the query.
};
Parsed<UrlTemplate> parse_url_template(const std::string& text);

// `url` or `urls` of an HTTP target, and what belongs to them. True if they are sound.
bool decode_http_urls(Section& section, HttpTarget& http);

// Takes those headers that records write out of `headers`; says what is wrong with the others.
void decode_header_templates(Section& section, HttpTarget& http);

// `headers` of an HTTP target, or of the collector of spans.
void decode_http_headers(Section& section, Secrets secrets, HttpTarget& http);

// `proxy` of an HTTP target.
void decode_http_proxy(Section& section, HttpTarget& http);

// `auth` and `sign` of an HTTP target. REQUIRES: its headers are decoded.
void decode_http_auth(Section& parent, HttpTarget& http);
void decode_http_sign(Section& parent, HttpTarget& http);

// `accept`, `retry`, `refuse` and `by_body` of an HTTP target.
void decode_http_answers(Section& section, HttpTarget& http);

// `batch` of an HTTP target. REQUIRES: its content_type is decoded.
void decode_http_batch(Section& http, HttpTarget& target);

// `retry` and `breaker` of a target.
void decode_target_retry(Section& parent, Target& target);
void decode_breaker(Section& parent, Breaker& breaker);

// `initial` and `max` of a section `retry`; `waits` has what holds without them.
void decode_retry_waits(Section& section, RetryWaits& waits);

// Where spans are sent.
void decode_tracing(Section& top, std::optional<HttpTarget>& tracing);

void decode_shares(Section& top, std::vector<Share>& shares);

// `share` of one route. REQUIRES: shares and the route's order are decoded.
void decode_route_share(Section& section, const Config& config, Route& route);

// REQUIRES: limits, targets and shares are decoded.
void decode_routes(Section& top, const Sound& sound_limits, Config& config);

// `limits` of one route, with what goes together with what. `target` is the route's, null if it is
// not known.
void decode_route_limits(Section& section, const Sound& sound_limits, const Config& config,
                         const Target* target, Route& route);

// `inside` of the gate or of a route.
void decode_inside(Section& parent, std::string_view table, Bounds<std::int64_t> records,
                   Bounds<Bytes> bytes, Inside& inside);

}  // namespace einlass::config
