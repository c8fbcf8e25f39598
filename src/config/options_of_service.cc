#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kKafkaOauth = "kafka.oauth";

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
    {"", "shares", "map", "none",
     "How records share what they compete for by weight and level, each under a name of your own."},
    {"", "targets", "map", "required", "The targets, each under a name of your own."},
    {"", "routes", "list", "required", "Which topics go to which target, under which limits."},

    {"inside", "records", "whole number", "100000", "Records of all partitions together."},
    {"inside", "bytes", "size", "256MiB",
     "Memory that the records of all partitions take together."},
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
    {"kafka", "commit_records", "whole number", "256",
     "So many finished records of a shard are committed without waiting for the interval, at most "
     "each 20 ms; it bounds what a crash repeats."},
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
     "Sent with every request to it; all are taken for secrets, and may stand in files, as "
     "`NAME_file: PATH`."},
    {"tracing", "ca_file", "path", "none",
     "Authorities that its certificate is checked against, in the place of the system's."},
};

}  // namespace

std::span<const Option> options_of_service() { return kOptions; }

}  // namespace einlass::config
