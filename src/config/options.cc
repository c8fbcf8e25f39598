#include "config/options.h"

namespace einlass::config {
namespace {

constexpr std::string_view kLimit = "limits.NAME";
constexpr std::string_view kKafkaTarget = "targets.NAME.kafka";
constexpr std::string_view kHttp = "targets.NAME.http";
constexpr std::string_view kHttpBatch = "targets.NAME.http.batch";
constexpr std::string_view kAuth = "targets.NAME.http.auth";
constexpr std::string_view kBasic = "targets.NAME.http.auth.basic";
constexpr std::string_view kOauth2 = "targets.NAME.http.auth.oauth2";
constexpr std::string_view kKafkaOauth = "kafka.oauth";
constexpr std::string_view kKafkaTargetOauth = "targets.NAME.kafka.oauth";
constexpr std::string_view kByBody = "targets.NAME.http.by_body[]";
constexpr std::string_view kSign = "targets.NAME.http.sign";
constexpr std::string_view kRoute = "routes[]";

constexpr Option kOptions[] = {
    {"", "instance", "name", "see text",
     "This gate's name, unique in the fleet; the host's name (`HOSTNAME`), or `gate-1` without "
     "one."},
    {"", "shards", "whole number", "1",
     "Threads, each with its own consumer and connections; `max_in_flight` and the gate's `inside` "
     "are split between them. At most 64."},
    {"", "instances", "whole number", "none",
     "How many gates share the limits; what `on_outage: local_share` divides by."},
    {"", "drain_timeout", "duration", "10s",
     "How long a stopping gate waits for what is inside before it gives it back to Kafka."},
    {"", "watchdog", "duration", "30s",
     "A process whose loop has not turned for so long says so and ends with 1, to be started "
     "again; 0 is for never."},
    {"", "inside", "section", "", "The most that may be in the gate, in all."},
    {"", "log", "section", "", "What is written to stderr."},
    {"", "admin", "section", "", "The server for metrics, health and status."},
    {"", "kafka", "section", "", "Where records come from."},
    {"", "redis", "section", "", "Where limits with `store: redis` are kept."},
    {"", "tracing", "section", "none", "Where spans of traced records are sent."},
    {"", "limits", "map", "none", "The limits, each under a name of your own."},
    {"", "targets", "map", "required", "The targets, each under a name of your own."},
    {"", "routes", "list", "required", "Which topics go to which target, under which limits."},

    {"inside", "records", "whole number", "100000", "Records of all partitions together."},
    {"inside", "bytes", "size", "256MiB", "Bytes of all partitions together."},
    {"log", "level", "info, warning or error", "info", "The least that is worth a line."},
    {"admin", "listen", "HOST:PORT", "127.0.0.1:9465",
     "Where `/metrics`, `/healthz`, `/readyz` and `/v1/status` are served."},
    {"admin", "token", "secret", "none",
     "What all pages but `/healthz` and `/readyz` demand, as Bearer or as the password of Basic."},
    {"admin", "token_file", "path", "none", "A file that holds it; read again when it changes."},
    {"admin", "tls", "section", "none", "Serve them over TLS alone."},
    {"admin.tls", "cert_file", "path", "required", "PEM, with its chain; read when it changes."},
    {"admin.tls", "key_file", "path", "required", "PEM, without passphrase; read when it changes."},

    {"kafka", "brokers", "list of HOST:PORT", "127.0.0.1:9092",
     "The brokers to begin with; also one text with commas."},
    {"kafka", "group", "name", "einlass", "The consumer group that the whole fleet shares."},
    {"kafka", "static_membership", "true or false", "true",
     "Join under the instance's name, so that a quick restart moves no partitions."},
    {"kafka", "commit_interval", "duration", "100ms", "How often finished offsets are committed."},
    {"kafka", "revoke_timeout", "duration", "10s",
     "How long a revoked partition may finish what is inside before it is given up."},
    {"kafka", "auto_offset_reset", "error, earliest or latest", "earliest",
     "Where to read a partition of which nothing is committed, or whose next offset Kafka no "
     "longer has: from the log's start, its end, or (`error`) not before somebody has set "
     "another."},
    {"kafka", "properties", "map", "none",
     "Any property of librdkafka, as `security.protocol`; secrets also as `NAME_file`."},
    {"kafka", "oauth", "section", "none",
     "Log in with access tokens (OAUTHBEARER), asked for by client credentials (RFC 6749, 4.4), "
     "and renewed."},

    {kKafkaOauth, "token_url", "http:// or https:// URL", "required",
     "Where tokens are asked for."},
    {kKafkaOauth, "client_id", "text", "required", "The name of this client."},
    {kKafkaOauth, "client_secret", "secret", "required", "Its secret."},
    {kKafkaOauth, "client_secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kKafkaOauth, "scope", "text", "none", "What is asked for, words with blanks between them."},
    {kKafkaOauth, "audience", "text", "none", "For which server; some token servers want it."},
    {kKafkaOauth, "ca_file", "path", "none",
     "PEM of the authorities that the token server's certificate is checked against; the system's "
     "without it."},

    {"redis", "url", "redis://, rediss:// or unix:// URL", "redis://127.0.0.1:6379/0",
     "The server, as `redis://[user:password@]HOST[:PORT][/DATABASE]`; `rediss` for TLS; "
     "`unix:///PATH[?db=DATABASE]` for a Unix socket."},
    {"redis", "username", "text", "none", "The user to log in as, if not in the URL."},
    {"redis", "password", "secret", "none", "The password, if not in the URL."},
    {"redis", "password_file", "path", "none",
     "A file that holds the password; it is read anew for each connection."},
    {"redis", "namespace", "name", "einlass", "The first part of every key."},
    {"redis", "timeout", "duration", "500ms", "A call without an answer by then is an outage."},
    {"redis", "ca_file", "path", "none",
     "Certificates to trust instead of the system's authorities; only with `rediss`. This file and "
     "the next two are read anew for each connection."},
    {"redis", "cert_file", "path", "none",
     "The certificate that Redis is shown, with its chain; only with `rediss`."},
    {"redis", "key_file", "path", "none", "The key to `cert_file`."},
    {"redis", "server_name", "text", "none",
     "The name that the certificate must have, if not the URL's host; only with `rediss`."},

    {"redis", "sentinel", "section", "",
     "Ask these which server is the primary; of `url` only TLS, the login and the database count "
     "then."},
    {"redis", "cluster", "true or false", "false",
     "The servers are a Redis Cluster, and `url` is one of its nodes."},
    {"redis", "wait_replicas", "whole number", "0",
     "A grant counts only once so many replicas have it, so that a failover forgets none."},
    {"redis.sentinel", "addresses", "list of HOST:PORT", "required",
     "The sentinels; some are enough, port 26379 may be left out."},
    {"redis.sentinel", "name", "name", "mymaster", "What the sentinels call the primary."},
    {"redis.sentinel", "username", "text", "none", "The user to log in as at the sentinels."},
    {"redis.sentinel", "password", "secret", "none", "The sentinels' password."},
    {"redis.sentinel", "password_file", "path", "none",
     "A file that holds that password; read anew likewise."},

    {"tracing", "url", "http:// or https:// URL", "required",
     "The OTLP/HTTP endpoint for spans, as `http://127.0.0.1:4318/v1/traces`. A record is traced "
     "if its `traceparent` says sampled."},
    {"tracing", "headers", "map", "none",
     "Sent with every request to it; secrets as `NAME_file: PATH`."},
    {"tracing", "ca_file", "path", "none",
     "Authorities that its certificate is checked against, in the place of the system's."},

    {kLimit, "algorithm", "name", "required",
     "What the limit promises: `sliding_log` never more than `limit` in any `window`; "
     "`sliding_window` the same from counts of slices; `fixed_window` at most `limit` in each "
     "window, so up to twice that across an edge; `counter` the same with windows that open at the "
     "first record; `token_bucket` `rate` on the long run and at most `burst` at once; "
     "`leaky_bucket` the same with `mode: meter`, evenly spaced with `mode: queue`; `smooth` a "
     "token bucket whose waits are at most `timeout`, with a warm-up if wanted; `concurrency` at "
     "most `limit` attempts under way."},
    {kLimit, "limit", "whole number", "required",
     "Permits in a window, or attempts under way; with `sliding_log`, `sliding_window`, "
     "`fixed_window`, `counter` and `concurrency`."},
    {kLimit, "window", "duration", "required",
     "The window's length; with `sliding_log`, `sliding_window`, `fixed_window` and `counter`."},
    {kLimit, "align", "epoch or key", "epoch",
     "Where windows begin: at multiples of their length since 1970, or at an offset that differs "
     "from key to key; with `fixed_window`."},
    {kLimit, "slices", "whole number", "10",
     "How many parts of the window are counted apart; the partly expired one counts in full; with "
     "`sliding_window`."},
    {kLimit, "log", "none or newest", "none",
     "`newest` keeps the times of the newest slice, and so gives back up to one slice of "
     "throughput; with `sliding_window`."},
    {kLimit, "rate", "rate", "required",
     "Permits that come back; with `token_bucket`, `leaky_bucket` and `smooth`. `0/s` denies "
     "everything: records wait, or with a `dead_letter` topic go there."},
    {kLimit, "burst", "whole number", "required",
     "The most permits that are there at once; with `token_bucket` and `smooth`."},
    {kLimit, "capacity", "whole number", "required",
     "What the bucket holds: with `mode: meter` the most at once, with `mode: queue` the most that "
     "wait their turn; with `leaky_bucket`."},
    {kLimit, "mode", "meter or queue", "meter",
     "`meter` lets a burst through and refuses what does not fit, `queue` spaces evenly; with "
     "`leaky_bucket`."},
    {kLimit, "timeout", "duration", "1s",
     "No permit is promised further ahead than this; with `smooth`."},
    {kLimit, "pay", "now or next", "see text",
     "Who waits for what a permit costs: whoever takes it (`now`, the default), or the next one, "
     "so that after a quiet time a dear record leaves at once (`next`, the default with "
     "`warm_up`); with `smooth`."},
    {kLimit, "warm_up", "duration", "none",
     "How long it takes from a third of the rate, after a quiet time, to all of it; replaces "
     "`burst`; with `smooth`."},
    {kLimit, "lease", "duration", "required",
     "When a permit comes back whose gate died; longer than the targets' `timeout`, `use_within` "
     "and `redis.timeout` together; with `concurrency`."},
    {kLimit, "store", "memory or redis", "memory",
     "`redis` is shared by the fleet, `memory` is this process alone."},
    {kLimit, "key", "text", "none",
     "One bucket for each value of: `record_key`, `topic`, `partition`, `header:NAME`, "
     "`json:/pointer`; `none` is one bucket for all."},
    {kLimit, "cost", "text", "1",
     "Permits that one delivery attempt takes: a whole number, `header:NAME` or `json:/pointer` "
     "for the number that stands there, or `bytes` for the size of the record's value."},
    {kLimit, "default_cost", "whole number", "see text",
     "The cost of a record whose own cannot be read, 1 without this; only with a cost from the "
     "record."},
    {kLimit, "bad_key", "default or dead_letter", "default",
     "What becomes of a record whose key or cost cannot be read: it counts in the empty key's "
     "bucket with `default_cost`, or it goes to the route's dead letter topic."},
    {kLimit, "spread", "true or false", "false",
     "Lets a Redis Cluster spread the buckets of different keys over its nodes; all limits of a "
     "route are spread by the same key, or none."},
    {kLimit, "horizon", "duration", "see text",
     "How far ahead permits may be granted; 0 is plain reject and retry. The default is 500ms, "
     "with `smooth` its `timeout`, and 0 where an algorithm grants nothing ahead."},
    {kLimit, "use_within", "duration", "100ms",
     "A permit not used this long after its instant is given back and asked for again; at most "
     "4s."},
    {kLimit, "on_outage", "hold, pass or local_share", "hold",
     "What happens while the store cannot answer: records wait, or pass without a limit, or pass "
     "under this gate's share of it (one of `instances`)."},
    {kLimit, "shadow", "true or false", "false",
     "Decides and counts what it would have done, and holds nobody up: to try a limit, or other "
     "numbers for one, before it holds."},

    {"targets.NAME", "http", "section", "see text",
     "Deliver to an HTTP server; a target has this or `kafka`."},
    {"targets.NAME", "kafka", "section", "see text",
     "Deliver to a Kafka topic; a target has this or `http`."},
    {"targets.NAME", "retry", "section", "",
     "When failed attempts are made again, where a route does not say otherwise."},
    {"targets.NAME", "breaker", "section", "", "When a target that fails is left alone."},

    {kHttp, "url", "http:// or https:// URL", "required",
     "Where each record is sent. {topic}, {partition}, {offset}, {key}, {header:NAME} and "
     "{json:/pointer} in it stand for the record's, percent-encoded; {{ and }} for braces."},
    {kHttp, "urls", "list of URLs", "see text",
     "In the place of `url`: several servers, each with its own health."},
    {kHttp, "balance", "round_robin or key", "round_robin",
     "Which of `urls` takes a record: each in turn, or the same for the same key while it works."},
    {kHttp, "allow_hosts", "list of names", "see text",
     "Required where the URL's host is the record's: which may be called, as `billing.example`, "
     "`*.billing.example` (and what is below it) or `*`."},
    {kHttp, "allow_private", "true or false", "false",
     "Whether such a host may be inside our own network: loopback, link-local, private ranges."},
    {kHttp, "method", "HTTP method", "POST",
     "The request's method; may be {header:NAME} or another of the places above."},
    {kHttp, "timeout", "duration", "5s", "From the request's start to the end of the answer."},
    {kHttp, "max_in_flight", "whole number", "64",
     "Requests at a time; with HTTP/1.1 each has a connection."},
    {kHttp, "headers", "map", "none",
     "Headers of every request; secrets also as `NAME_file`. Their values may have the places "
     "above, but for those with a secret's name."},
    {kHttp, "forward_headers", "list of names", "none",
     "Record headers to send on besides `traceparent`, `tracestate` and `baggage`."},
    {kHttp, "content_type", "text", "application/octet-stream",
     "The `Content-Type` where the record names none."},
    {kHttp, "compress", "none or gzip", "none",
     "How bodies are compressed, with Content-Encoding; those under 128 bytes are not."},
    {kHttp, "batch", "section", "", "Several records in one request."},
    {kHttp, "ca_file", "path", "none",
     "Certificates to trust instead of the system's authorities; only with `https`."},
    {kHttp, "server_name", "text", "none",
     "The name that the certificate must have, if not the URL's host; only with `https`."},
    {kHttp, "http2", "auto, always or never", "auto",
     "Whether HTTP/2 is spoken: where a server chooses it in TLS, also in the clear (and a server "
     "that does not choose it is a failed attempt), or not at all."},
    {kHttp, "cert_file", "path", "none",
     "The certificate that the target is shown, with its chain, as PEM; read again when it "
     "changes; only with `https`."},
    {kHttp, "key_file", "path", "none", "The key of `cert_file`, as PEM without a passphrase."},
    {kHttp, "verify", "true or false", "true",
     "Whether the target's certificate and name are verified. Without that anybody on the way may "
     "read, answer and take the login; for tests only."},
    {kHttp, "proxy", "http:// URL, a secret", "none",
     "The proxy by which the target and its token server are reached, by CONNECT, as "
     "`http://[user:password@]HOST:PORT`."},
    {kHttp, "proxy_file", "path", "none", "A file that holds that URL."},
    {kHttp, "auth", "section", "", "As whom requests are made; one of its options."},
    {kHttp, "sign", "section", "", "Signatures as Standard Webhooks wants them."},
    {kHttp, "accept", "list of statuses", "see text",
     "Answers by which a record is delivered, 2xx without this; as `[200, 202]`: no other 2xx "
     "then."},
    {kHttp, "retry", "list of statuses", "see text",
     "Answers after which it is tried again, besides 408, 425, 429 and 5xx."},
    {kHttp, "refuse", "list of statuses", "see text",
     "Answers after which a record is refused, besides all others; a single status holds before "
     "`5xx`."},
    {kHttp, "by_body", "list of rules", "none",
     "What stands in an answer's body, as JSON, holds before its status: the first rule that "
     "fits."},

    {kByBody, "json", "JSON pointer", "required", "Where in the body, as `/error/code`."},
    {kByBody, "equals", "text", "required", "What must stand there: a text, a number or a truth."},
    {kByBody, "then", "accept, retry or refuse", "required", "What the answer means."},

    {kAuth, "basic", "section", "", "A name and a password (RFC 7617)."},
    {kAuth, "bearer", "secret", "none", "A token (RFC 6750)."},
    {kAuth, "bearer_file", "path", "none",
     "A file that holds the token; read again when it changes."},
    {kAuth, "oauth2", "section", "",
     "A token that is asked for by client credentials (RFC 6749, 4.4), and renewed."},

    {kBasic, "username", "text", "required", "The name."},
    {kBasic, "password", "secret", "required", "The password."},
    {kBasic, "password_file", "path", "none",
     "A file that holds the password; read again when it changes."},

    {kOauth2, "token_url", "http:// or https:// URL", "required",
     "Where tokens are asked for; the target's `ca_file`, `cert_file` and `verify` hold there "
     "too."},
    {kOauth2, "client_id", "text", "required", "The name of this client."},
    {kOauth2, "client_secret", "secret", "required", "Its secret."},
    {kOauth2, "client_secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kOauth2, "scope", "text", "none", "What is asked for, words with blanks between them."},
    {kOauth2, "audience", "text", "none", "For which server; some token servers want it."},

    {kSign, "secret", "secret", "required",
     "`whsec_` and base64 signs by HMAC-SHA256 (`v1`), `whsk_` and base64 by ed25519 (`v1a`)."},
    {kSign, "secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kSign, "previous_secret", "secret", "none",
     "Signs too, beside the other, while receivers change from one to the other."},
    {kSign, "previous_secret_file", "path", "none",
     "A file that holds that one; read again when it changes."},

    {kKafkaTarget, "topic", "topic", "required", "Where each record is written, as it was."},
    {kKafkaTarget, "brokers", "list of HOST:PORT", "see text",
     "The brokers to begin with, where they are others than those of `kafka`; also one text with "
     "commas."},
    {kKafkaTarget, "properties", "map", "none",
     "Any property of librdkafka; secrets also as `NAME_file`. Without `brokers` those of `kafka` "
     "hold too, where these say nothing else."},
    {kKafkaTarget, "oauth", "section", "see text",
     "Log in with access tokens; that of `kafka` without `brokers` or a login of its own."},
    {kKafkaTarget, "partition", "key or same", "key",
     "Which partition: by the record's key, as Java's producers choose it (`murmur2_random`), or "
     "the number it was read from."},
    {kKafkaTarget, "exactly_once", "true or false", "false",
     "Write records and commit their offsets in one transaction, so that readers with "
     "`isolation.level: read_committed` see each record once, whatever fails. Only for a topic in "
     "the cluster of `kafka`, with `kafka.static_membership`."},
    {kKafkaTarget, "max_in_flight", "whole number", "1000",
     "Records on their way at a time; at most 100,000."},
    {kKafkaTarget, "timeout", "duration", "30s",
     "From an attempt's start to the acknowledgement of all replicas; what passes by itself is "
     "tried again meanwhile."},

    {kKafkaTargetOauth, "token_url", "http:// or https:// URL", "required",
     "Where tokens are asked for."},
    {kKafkaTargetOauth, "client_id", "text", "required", "The name of this client."},
    {kKafkaTargetOauth, "client_secret", "secret", "required", "Its secret."},
    {kKafkaTargetOauth, "client_secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kKafkaTargetOauth, "scope", "text", "none",
     "What is asked for, words with blanks between them."},
    {kKafkaTargetOauth, "audience", "text", "none",
     "For which server; some token servers want it."},
    {kKafkaTargetOauth, "ca_file", "path", "none",
     "PEM of the authorities that the token server's certificate is checked against; the system's "
     "without it."},

    {"targets.NAME.retry", "initial", "duration", "200ms",
     "The longest first wait; then it doubles."},
    {"targets.NAME.retry", "max", "duration", "30s", "The longest wait."},
    {"targets.NAME.retry", "budget", "share", "20%",
     "The most of the target's attempts that are retries while fresh records could have gone "
     "instead; 100% is first come first served."},

    {kHttpBatch, "records", "whole number", "100",
     "Most records in one request, from 2 to 1000; each needs a permit of its own."},
    {kHttpBatch, "bytes", "size", "1MiB",
     "No record is added to a request that would then be larger; a single one may be."},
    {kHttpBatch, "linger", "duration", "5ms",
     "How long the first record of a request may wait for others; at most half of `use_within` of "
     "the limits."},
    {kHttpBatch, "format", "`json`, `lines` or `length_prefixed`", "json",
     "How the values stand in the body: a JSON list, one a line, or each after its length in four "
     "bytes (big-endian)."},

    {"targets.NAME.breaker", "failures", "whole number", "16",
     "After so many failed attempts in a row nothing is sent for a while; 0 is never."},
    {"targets.NAME.breaker", "wait", "duration", "500ms",
     "How long nothing is sent; then one attempt at a time probes the target, and each that fails "
     "doubles the wait."},
    {"targets.NAME.breaker", "max_wait", "duration", "30s", "The longest wait."},

    {kRoute, "name", "name", "required", "The route's name in metrics, logs and dead letters."},
    {kRoute, "topics", "list of topics", "required",
     "What is read; a topic is in one route only. One that begins with ^ is a pattern of names."},
    {kRoute, "target", "name", "required", "Where records are delivered."},
    {kRoute, "limits", "list of names", "none",
     "The limits that hold, all or nothing, in this order of blame; all in one store."},
    {kRoute, "order", "partition, key or none", "partition",
     "Which records leave one after the other: those of a partition, or of a key in it, or none."},
    {kRoute, "retry", "section", "", "When a failed attempt is made again."},
    {kRoute, "dead_letter", "topic", "none",
     "Where a refused record goes; without it, it is tried again for ever."},
    {kRoute, "inside", "section", "", "The most that may be in the gate, per partition."},

    {"routes[].retry", "initial", "duration", "200ms",
     "The longest first wait; then it doubles. Without it that of the target holds."},
    {"routes[].retry", "max", "duration", "30s",
     "The longest wait. Without it that of the target holds."},
    {"routes[].retry", "attempts", "whole number", "0",
     "Attempts before a record is a dead letter; 0 is for ever."},

    {"routes[].inside", "records", "whole number", "1000", "Records of one partition."},
    {"routes[].inside", "bytes", "size", "16MiB", "Bytes of one partition."},
};

}  // namespace

std::span<const Option> all_options() { return kOptions; }

std::vector<std::string_view> option_names(std::string_view section) {
  std::vector<std::string_view> names;
  for (const Option& option : kOptions) {
    if (option.section == section) names.push_back(option.name);
  }
  return names;
}

}  // namespace einlass::config
