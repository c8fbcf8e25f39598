// The configuration as the program understands it: typed, complete, checked. Made by read_config(),
// seen only by src/config and the composition root.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/address.h"
#include "config/templates.h"
#include "limits/limit.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::config {

enum class OffsetReset { error, earliest, latest };

struct Redis {
  std::string host = "127.0.0.1";  // With a slash in front: the path of a Unix socket.
  std::uint16_t port = 6379;
  bool tls = false;
  std::string ca_file, server_name;
  std::string cert_file, key_file;  // Both or none.
  std::string username, password;
  std::string password_file;  // Where the password was read, and is read again; or empty.
  int database = 0;
  std::string name_space = "einlass";
  Duration timeout = Duration::millis(500);

  // Not empty: these say which server is the master; host and port above are not used, but TLS, the
  // login and the database are. They are asked with TLS too if `tls`.
  std::vector<HostPort> sentinels;
  std::string sentinel_name = "mymaster";
  std::string sentinel_username, sentinel_password;  // Empty: no login at the sentinels.
  std::string sentinel_password_file;

  bool cluster = false;   // host and port are one node of a Redis Cluster, to begin with.
  int wait_replicas = 0;  // How many replicas have a grant before it counts.
};

enum class Store { memory, redis };

// Where a limit's key comes from.
struct KeySource {
  enum class Kind { none, record_key, topic, partition, header, json } kind = Kind::none;
  std::string name;  // Of the header, or the JSON pointer.

  bool operator==(const KeySource&) const = default;
};

// What one record takes.
struct CostSource {
  // A number is limits::Limit::cost, the same for all records.
  enum class Kind { number, header, json, bytes } kind = Kind::number;
  std::string name;  // Of the header, or the JSON pointer.

  bool operator==(const CostSource&) const = default;
};

// What becomes of a record whose key or cost cannot be read: `standard` is the empty key's bucket
// and default_cost.
enum class BadKey { standard, dead_letter };

// What becomes of records while the limit's store cannot answer.
enum class OnOutage { hold, pass, local_share };

// How late a permit of a strict limit may be used.
inline constexpr Duration kStrictUse = Duration::millis(1);

struct Limit {
  limits::Limit limit;  // Name, algorithm and its parameters, cost.
  Store store = Store::memory;
  KeySource key;
  CostSource cost;
  Permits default_cost{1};
  BadKey bad_key = BadKey::standard;
  bool spread = false;  // The key's value is the hash tag, so a cluster spreads the buckets.
  OnOutage on_outage = OnOutage::hold;
  Duration horizon = Duration::millis(500);
  Duration use_within = Duration::millis(100);
  bool strict = false;  // use_within is kStrictUse, and a sliding window that much longer for it.
  bool shadow = false;  // Asked about every attempt, and obeyed by nobody.
  // Of a limit that counts a window, and grants nothing ahead, but for a `burst` at a time: kept by
  // a limit of its own, which its routes have behind it and the file does not name.
  Permits burst{};                      // 0: as many as the limit.
  std::optional<std::size_t> paced_by;  // That limit's place, in Config::limits behind all others.
  bool is_pace = false;                 // Whether this is such a limit.
};

enum class Http2 : std::uint8_t { automatic, always, never };

// A secret, and the file that it was read from; that is read again while the gate runs.
struct FileSecret {
  std::string value;
  std::string file;  // Empty: it stands in the configuration itself.
};

struct Admin {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9465;
  FileSecret token;                 // Empty: nobody is asked for one.
  std::string cert_file, key_file;  // Both empty: no TLS.

  bool tls() const { return !cert_file.empty(); }
};

struct HttpUrl {
  std::string url;  // As written, without a secret in it.
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";              // With the query.
  std::vector<std::string> secrets{};  // What of path and query nobody is to see.
};

// What an answer means, where a target says so itself: later rules hold before earlier ones, and
// those for bodies before all, the first that fits.
enum class AnswerMeans { accepted, retry, refused };

struct StatusMeans {
  int first = 0, last = 0;
  AnswerMeans means = AnswerMeans::retry;
};

struct BodyMeans {
  std::string pointer;  // RFC 6901.
  std::string equals;
  AnswerMeans means = AnswerMeans::retry;
};

// Which of several URLs takes a request.
enum class Balance : std::uint8_t { round_robin, by_key };

// targets.NAME.http.proxy, an http:// URL.
struct HttpProxy {
  std::string host;  // Empty: none.
  std::uint16_t port = 0;
  std::string username, password;  // Decoded; both empty: no login.
};

// targets.NAME.http.auth
struct HttpAuth {
  enum class Kind { none, basic, bearer, oauth2 } kind = Kind::none;
  std::string username;  // With basic.
  FileSecret secret;     // The password, the token, or the client's secret.
  HttpUrl token_url;     // The rest with oauth2.
  std::string client_id;
  std::string scope, audience;  // Empty: not asked for.
};

// targets.NAME.http.sign
struct HttpSign {
  FileSecret secret;           // Empty: nothing is signed.
  FileSecret previous_secret;  // Empty: none.
};

// Several records in one request.
enum class BatchFormat : std::uint8_t { json, lines, length_prefixed };
struct HttpBatch {
  std::uint32_t records = 100;
  Bytes bytes{1 << 20};
  Duration linger = Duration::millis(5);
  BatchFormat format = BatchFormat::json;
};

// What becomes of a key that is more than a request's head takes.
enum class LongKey : std::uint8_t { refuse, leave_out };

struct HttpTarget : HttpUrl {
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
  HttpAuth auth;
  HttpSign sign;
  bool accept_written = false;  // Then no other 2xx is accepted.
  std::vector<StatusMeans> by_status;
  std::vector<BodyMeans> by_body;
  Http2 http2 = Http2::automatic;
  bool gzip = false;  // Bodies are compressed.
  std::optional<HttpBatch> batch;
};

// kafka.oauth, targets.NAME.kafka.oauth
struct KafkaOauth {
  HttpAuth auth;        // With oauth2.
  std::string ca_file;  // For the token server. Empty: the system's authorities.
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
  std::optional<KafkaOauth> oauth;
};

struct KafkaTarget {
  std::string topic;
  std::vector<std::string> brokers;               // Those of `kafka` where none are written,
  std::map<std::string, std::string> properties;  // and then these are laid over its properties.
  bool own_cluster = false;                       // Brokers are written.
  std::optional<KafkaOauth> oauth;                // That of `kafka` where it logs in as that does.
  bool own_oauth = false;                         // It is written.
  bool same_partition = false;                    // partition: same
  bool exactly_once = false;                      // Only in the cluster that is read.
  std::size_t max_in_flight = 1000;
  Duration timeout = Duration::seconds(30);
};

// When an attempt is made again: the longest first wait, and the longest of all.
struct RetryWaits {
  Duration initial = Duration::millis(200);
  Duration max = Duration::seconds(30);
};

struct Breaker {
  std::uint32_t failures = 16;  // In a row; 0 = none.
  Duration wait = Duration::millis(500);
  Duration max_wait = Duration::seconds(30);
};

struct Target {
  std::string name;
  HttpTarget http;                   // Not looked at where there is
  std::optional<KafkaTarget> kafka;  // this.
  RetryWaits retry;                  // Of routes that do not say.
  std::int64_t retry_share = 20;     // targets.NAME.retry.budget, of a hundred.
  Breaker breaker;

  Duration timeout() const { return kafka ? kafka->timeout : http.timeout; }
  std::size_t max_in_flight() const { return kafka ? kafka->max_in_flight : http.max_in_flight; }
  bool exactly_once() const { return kafka && kafka->exactly_once; }
  // Of its section, for messages.
  std::string kind() const { return kafka ? "kafka" : "http"; }
};

// How the flows of records divide what they compete for.
struct Share {
  std::string name;
  KeySource by;  // Whose value is the flow. Of kind none: all are one.
  std::uint16_t default_weight = 1;
  // In the order of the file: names, and beginnings of names with a * behind.
  std::vector<std::pair<std::string, std::uint16_t>> weights;
  KeySource level_by;               // Of kind none: there are no levels.
  std::vector<std::string> levels;  // The first goes first; the last has what names no other.
  std::int64_t keep = 5;            // Of a hundred, for each level but the first.
};

enum class Order { partition, key, none };

struct Inside {
  std::int64_t records = 1000;
  Bytes bytes{16 << 20};
};

struct Route {
  std::string name;
  std::vector<std::string> topics;
  std::size_t target = 0;                  // Index into Config::targets.
  std::vector<std::size_t> limits;         // Indices into Config::limits, in order of blame,
  std::vector<std::size_t> shadow_limits;  // and those that are asked and not obeyed.
  Order order = Order::partition;
  std::optional<std::size_t> share;  // Index into Config::shares.
  RetryWaits retry;
  std::uint32_t attempts = 0;  // retry.attempts; 0 = for ever.
  std::string dead_letter;     // Empty: none.
  Inside inside;               // Most that may be in the gate, per partition.
};

struct Config {
  std::string instance = "gate-1";
  int shards = 1;
  int instances = 0;  // Gates that share the limits; 0: not said.
  Duration drain_timeout = Duration::seconds(10);
  Duration watchdog = Duration::seconds(30);  // 0: none.
  Inside inside{100'000, Bytes{256 << 20}};   // Most that may be in the gate, in all.
  std::string log_level = "info";
  Admin admin;
  Kafka kafka;
  Redis redis;
  std::vector<Limit> limits;
  std::vector<Target> targets;
  std::vector<Share> shares;
  std::vector<Route> routes;
  std::optional<HttpTarget> tracing;  // The collector of spans: its URL, headers and ca_file.
};

}  // namespace einlass::config
