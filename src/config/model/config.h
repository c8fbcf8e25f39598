// The configuration as the program understands it: typed, complete, checked. Made by read_config(),
// seen only by src/config and the composition root.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/model/address.h"
#include "config/model/limit.h"
#include "config/model/sources.h"
#include "config/model/templates.h"
#include "core/contract/event.h"
#include "core/contract/options.h"
#include "units/id.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::config {

enum class OffsetReset { error, earliest, latest };

// A secret, and the file that it was read from, which is read again.
struct FileSecret {
  std::string value;
  std::string file;  // Empty: it stands in the configuration itself.
  bool operator==(const FileSecret&) const = default;
};

// redis.sentinel
struct Sentinel {
  std::vector<HostPort> addresses;
  std::string name = "mymaster";  // Of the primary.
  std::string username;
  FileSecret password;  // Both empty: no login at the sentinels.
  bool operator==(const Sentinel&) const = default;
};

struct Redis {
  std::string host = "127.0.0.1";  // With a slash in front: the path of a Unix socket.
  std::uint16_t port = 6379;
  bool tls = false;
  std::string ca_file, server_name;
  std::string cert_file, key_file;  // Both or none.
  std::string username;
  FileSecret password;
  int database = 0;
  std::string name_space = "einlass";
  Duration timeout = Duration::millis(500);

  // These say which server is the primary; host and port above are not used then, but TLS, the
  // login and the database are. They are asked with TLS too if `tls`.
  std::optional<Sentinel> sentinel;

  bool cluster = false;   // host and port are one node of a Redis Cluster, to begin with.
  int wait_replicas = 0;  // How many replicas have a grant before it counts.
  bool operator==(const Redis&) const = default;
};

enum class Http2 : std::uint8_t { automatic, always, never };

enum class LogFormat { logfmt, json };

struct Log {
  Severity level = Severity::info;  // The least that is worth a line.
  LogFormat format = LogFormat::logfmt;
  bool operator==(const Log&) const = default;
};

struct AdminTls {
  std::string cert_file, key_file;
  bool operator==(const AdminTls&) const = default;
};

struct Admin {
  HostPort listen{"127.0.0.1", 9465};
  FileSecret token;  // Empty: nobody is asked for one.
  std::optional<AdminTls> tls;
  bool operator==(const Admin&) const = default;
};

struct HttpUrl {
  std::string url;  // As written, without a secret in it.
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";              // With the query.
  std::vector<std::string> secrets{};  // What of path and query nobody is to see.
  bool operator==(const HttpUrl&) const = default;
};

// What an answer means, where a target says so itself: later rules hold before earlier ones, and
// those for bodies before all, the first that fits.
struct StatusMeans {
  int first = 0, last = 0;
  core::Outcome means = core::Outcome::retry;
  bool operator==(const StatusMeans&) const = default;
};

struct BodyMeans {
  std::string pointer;  // RFC 6901.
  std::string equals;
  core::Outcome means = core::Outcome::retry;
  bool operator==(const BodyMeans&) const = default;
};

// Which of several URLs takes a request.
enum class Balance : std::uint8_t { round_robin, by_key };

// targets.NAME.http.proxy, an http:// URL.
struct HttpProxy {
  std::string host;  // Empty: none.
  std::uint16_t port = 0;
  std::string username, password;  // Decoded; both empty: no login.
  bool operator==(const HttpProxy&) const = default;
};

// targets.NAME.http.auth; and kafka.oauth, targets.NAME.kafka.oauth, which are of kind oauth2.
struct HttpAuth {
  enum class Kind { basic, bearer, oauth2 } kind = Kind::bearer;
  std::string username;  // With basic.
  FileSecret secret;     // The password, the token, or the client's secret.
  HttpUrl token_url;     // The rest with oauth2.
  std::string client_id;
  std::string scope, audience;  // Empty: not asked for.
  std::string ca_file;  // Of Kafka's, for the token server. Empty: the system's authorities.
  bool operator==(const HttpAuth&) const = default;
};

// targets.NAME.http.sign
struct HttpSign {
  FileSecret secret;
  FileSecret previous_secret;  // Empty: none.
  bool operator==(const HttpSign&) const = default;
};

// Several records in one request.
enum class BatchFormat : std::uint8_t { json, lines, length_prefixed };
struct HttpBatch {
  std::uint32_t records = 100;
  Bytes bytes{1 << 20};
  Duration linger = Duration::millis(5);
  BatchFormat format = BatchFormat::json;
  bool operator==(const HttpBatch&) const = default;
};

// What becomes of a key that is more than a request's head takes.
enum class LongKey : std::uint8_t { refuse, leave_out };

struct HttpTarget : HttpUrl {
  std::string url_file;  // Where the URL stands, as a secret; empty: in the configuration itself.
  std::string method = "POST";
  Duration timeout = Duration::seconds(5);
  std::size_t max_in_flight = 64;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::pair<std::string, Template>> header_templates;  // Those that records write.
  Template host_template;                   // Empty where `host` holds for all; `path` then too.
  Template path_template, method_template;  // Empty where `path` or `method` holds for all.
  std::vector<std::string> allow_hosts;     // With host_template: names, *.NAME or *.
  bool allow_private = false;
  bool allow_slash = false;   // With path_template: what records write there may have `/`.
  std::vector<HttpUrl> urls;  // Where there are several: all, and the first is this one.
  Balance balance = Balance::round_robin;
  std::vector<std::string> forward_headers;  // Record headers sent on besides the trace context.
  LongKey long_key = LongKey::refuse;
  Bytes head_bytes{8 << 10};  // Of a record in a request's head, at most.
  std::string content_type = "application/octet-stream";
  std::string ca_file, server_name;
  std::string cert_file, key_file;  // Both or none.
  bool verify = true;
  HttpProxy proxy;
  std::optional<HttpAuth> auth;
  std::optional<HttpSign> sign;
  bool accept_written = false;  // Then no other 2xx is accepted.
  std::vector<StatusMeans> by_status;
  std::vector<BodyMeans> by_body;
  Http2 http2 = Http2::automatic;
  bool gzip = false;  // Bodies are compressed.
  std::optional<HttpBatch> batch;
  bool operator==(const HttpTarget&) const = default;
};

// As whom clients log in at Kafka, where no `oauth` says it.
enum class KafkaSecurity : std::uint8_t {
  properties,   // As these say.
  aws_msk_iam,  // With tokens for Amazon MSK, signed with AWS credentials.
};

struct Kafka {
  std::vector<std::string> brokers = {"127.0.0.1:9092"};
  std::string group = "einlass";
  bool static_membership = true;  // kafka.static_membership: group.instance.id = instance.
  Duration commit_interval = Duration::millis(100);
  int commit_records = 256;
  Duration revoke_timeout = Duration::seconds(10);
  OffsetReset auto_offset_reset = OffsetReset::earliest;
  std::map<std::string, std::string> properties;
  std::string password_file;  // Where their sasl.password is from; empty: it stands there itself.
  KafkaSecurity security = KafkaSecurity::properties;
  std::string aws_region;  // With aws_msk_iam.
  std::optional<HttpAuth> oauth;
  bool operator==(const Kafka&) const = default;
};

struct KafkaTarget {
  std::string topic;
  std::vector<std::string> brokers;               // Those of `kafka` where none are written,
  std::map<std::string, std::string> properties;  // and then these are laid over its properties.
  std::string password_file;                      // As for `kafka`.
  bool own_cluster = false;                       // Brokers are written.
  KafkaSecurity security = KafkaSecurity::properties;  // These three are those of `kafka` where it
  std::string aws_region;                              // logs in as that does.
  std::optional<HttpAuth> oauth;
  bool own_login = false;       // `security` or `oauth` is written.
  bool same_partition = false;  // partition: same
  bool exactly_once = false;    // Only in the cluster that is read.
  std::size_t max_in_flight = 1000;
  Duration timeout = Duration::seconds(30);
  bool operator==(const KafkaTarget&) const = default;
};

// targets.NAME.retry
struct TargetRetry {  // When an attempt is made again, of routes that do not say:
  Duration initial = Duration::millis(200);  // the longest first wait,
  Duration max = Duration::seconds(30);      // and the longest of all.
  std::int64_t budget = 20;                  // Of a hundred.
  bool operator==(const TargetRetry&) const = default;
};

struct Breaker {
  std::uint32_t failures = 16;  // In a row; 0 = none.
  Duration wait = Duration::millis(500);
  Duration max_wait = Duration::seconds(30);
  bool operator==(const Breaker&) const = default;
};

struct Target {
  std::string name;
  std::variant<HttpTarget, KafkaTarget> kind;
  TargetRetry retry;
  Breaker breaker;

  // Null if it is not of that kind.
  const HttpTarget* http() const { return std::get_if<HttpTarget>(&kind); }
  const KafkaTarget* kafka() const { return std::get_if<KafkaTarget>(&kind); }

  // Calls the one that takes the target's kind. It does not compile if some kind is forgotten.
  template <class... Each>
  decltype(auto) by_kind(Each... each) const {
    struct All : Each... {
      using Each::operator()...;
    };
    return std::visit(All{each...}, kind);
  }

  Duration timeout() const {
    return by_kind([](const auto& one) { return one.timeout; });
  }
  // In Kafka what was refused with its batch is written once more, alone, and librdkafka looks each
  // second for what is over; a transaction is open until the brokers end it.
  Duration longest_attempt() const {
    return by_kind([](const HttpTarget& one) { return one.timeout; },
                   [](const KafkaTarget& one) {
                     if (one.exactly_once) return one.timeout + Duration::seconds(30);
                     return (one.timeout + Duration::seconds(1)) * 2;
                   });
  }
  std::size_t max_in_flight() const {
    return by_kind([](const auto& one) { return one.max_in_flight; });
  }
  bool exactly_once() const {
    return by_kind([](const HttpTarget&) { return false; },
                   [](const KafkaTarget& one) { return one.exactly_once; });
  }
  // So a host may be some of what a record holds.
  bool records_name_hosts() const {
    return by_kind([](const HttpTarget& one) { return !one.host_template.empty(); },
                   [](const KafkaTarget&) { return false; });
  }
  // Of its section, for messages.
  std::string kind_name() const {
    return by_kind([](const HttpTarget&) { return "http"; },
                   [](const KafkaTarget&) { return "kafka"; });
  }
  bool operator==(const Target&) const = default;
};

// How the flows of records divide what they compete for.
struct Levels {
  KeySource by;
  std::vector<std::string> names;  // The first goes first; the last has what names no other.
  std::int64_t keep = 5;           // Of a hundred, for each level but the first.
  bool operator==(const Levels&) const = default;
};

struct Share {
  std::string name;
  KeySource by;  // Whose value is the flow. Of kind none: all are one.
  std::uint16_t default_weight = 1;
  // In the order of the file: names, and beginnings of names with a * behind.
  std::vector<std::pair<std::string, std::uint16_t>> weights;
  std::optional<Levels> levels;
  bool operator==(const Share&) const = default;
};

inline constexpr Bytes kLeastInside{1 << 10};

struct Inside {
  std::int64_t records = 1000;
  Bytes bytes{16 << 20};  // kLeastInside at least.
  bool operator==(const Inside&) const = default;
};

// routes[].retry; without `initial` and `max` those of the target hold.
struct RouteRetry {
  Duration initial = Duration::millis(200);
  Duration max = Duration::seconds(30);
  std::uint32_t attempts = 0;  // 0 = for ever.
  bool operator==(const RouteRetry&) const = default;
};

struct Route {
  std::string name;
  std::vector<std::string> topics;
  std::size_t target = 0;         // Index into Config::targets.
  std::vector<Condition> filter;  // Delivered is what meets all of them;
  std::string otherwise;          // the rest goes to the route of that name, or nowhere.
  // Where a record says from when on, and until when, it may be delivered.
  std::optional<KeySource> not_before, expires;
  std::vector<std::size_t> limits;         // Indices into Config::limits, in order of blame,
  std::vector<std::size_t> shadow_limits;  // and those that are asked and not obeyed.
  core::Order order = core::Order::partition;
  std::optional<std::size_t> share;  // Index into Config::shares.
  RouteRetry retry;
  std::string dead_letter;  // Empty: none.
  Bytes largest_record{32 << 20};
  Inside inside;  // Most that may be in the gate, per partition.

  // The most that a record's key, value and headers may have together. A larger one is written to
  // the dead letter topic, whatever is in it; where there is none, it is a record like any other.
  Bytes record_bound() const {
    return dead_letter.empty() ? Bytes{std::numeric_limits<std::int64_t>::max()} : largest_record;
  }

  bool operator==(const Route&) const = default;
};

// Where the fleet's quotas and pauses are: one of the two.
struct Quotas {
  std::string topic;   // A compacted one of the kafka section's brokers.
  bool redis = false;  // In the redis section's server.
  bool operator==(const Quotas&) const = default;
};

struct Document;

// What stands in the file. It makes no other configuration of it.
struct Written {
  std::shared_ptr<const Document> document;  // Null: it was not read from a file.
  bool operator==(const Written&) const { return true; }
};

struct Config {
  std::string instance = "gate-1";
  int shards = 1;
  int instances = 0;  // Gates that share the limits; 0: not said.
  Duration drain_timeout = Duration::seconds(10);
  Duration watchdog = Duration::seconds(30);  // 0: none.
  Inside inside{100'000, Bytes{256 << 20}};   // Most that may be in the gate, in all.
  Log log;
  Admin admin;
  Kafka kafka;
  Redis redis;
  std::vector<Limit> limits;
  std::vector<Target> targets;
  std::vector<Share> shares;
  std::vector<Route> routes;
  std::optional<Quotas> quotas;
  std::optional<HttpTarget> tracing;  // The collector of spans: its URL, headers and ca_file.
  Written written;
  bool operator==(const Config&) const = default;
};

}  // namespace einlass::config
