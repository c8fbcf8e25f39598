#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kKafkaOauth = "kafka.oauth";

constexpr Option kOptions[] = {
    {"", "instance", "name", "see text",
     "This gate's name, unique in the fleet. Default: the host's name (`HOSTNAME`), or `gate-1` if "
     "there is none."},
    {"", "shards", "whole number", "1",
     "Threads, each with its own consumer and connections; `max_in_flight` and the gate's `inside` "
     "are divided among them. At most 64."},
    {"", "instances", "whole number", "none",
     "The number of gates that share the limits, by which `on_outage: local_share` divides; not to "
     "be confused with `instance`, this gate's name."},
    {"", "drain_timeout", "duration", "10s",
     "How long a stopping gate waits for the records in it before it gives them back to Kafka."},
    {"", "watchdog", "duration", "30s",
     "Exit with status 1, so that the supervisor restarts the process, when an event loop has been "
     "stuck this long; 0 = never."},
    {"", "inside", "section", "", "The most that may be in the gate, over all partitions."},
    {"", "log", "section", "", "The log on stderr."},
    {"", "admin", "section", "", "The server for metrics, health and status."},
    {"", "kafka", "section", "", "Where records come from."},
    {"", "redis", "section", "", "Where limits with `store: redis` are kept."},
    {"", "tracing", "section", "none", "Where spans of traced records are sent."},
    {"", "limits", "map", "none", "The limits, each under a name of your own."},
    {"", "shares", "map", "none",
     "How records divide a limit by weight and level, each under a name of your own."},
    {"", "targets", "map", "required", "The targets, each under a name of your own."},
    {"", "routes", "list", "required", "Which topics go to which target, under which limits."},

    {"inside", "records", "whole number", "100000", "Records of all partitions together."},
    {"inside", "bytes", "size", "256MiB",
     "Memory that the records of all partitions use together."},
    {"log", "level", "info, warning or error", "info", "Lowest severity that is logged."},
    {"admin", "listen", "HOST:PORT", "127.0.0.1:9465",
     "Address of the admin server: the live page, `/metrics`, `/healthz`, `/readyz` and "
     "`/v1/status`."},
    {"admin", "token", "secret", "none",
     "Token that all pages except `/healthz` and `/readyz` require, as a Bearer token or as the "
     "Basic password."},
    {"admin", "token_file", "path", "none", "A file that holds it; read again when it changes."},
    {"admin", "tls", "section", "none", "Serve these pages over TLS only."},
    {"admin.tls", "cert_file", "path", "required",
     "Certificate with its chain, PEM; read again when it changes."},
    {"admin.tls", "key_file", "path", "required",
     "Private key, PEM, without a passphrase; read again when it changes."},

    {"kafka", "brokers", "list of HOST:PORT", "127.0.0.1:9092",
     "Bootstrap brokers; a list or one comma-separated string."},
    {"kafka", "group", "name", "einlass", "The consumer group that the whole fleet shares."},
    {"kafka", "static_membership", "true or false", "true",
     "Join the group as a static member under the instance's name, so that a quick restart moves "
     "no partitions."},
    {"kafka", "commit_interval", "duration", "100ms", "How often finished offsets are committed."},
    {"kafka", "commit_records", "whole number", "256",
     "Commit as soon as this many records of a shard have finished, without waiting for the "
     "interval (at most every 20 ms). It bounds what a crash delivers again."},
    {"kafka", "revoke_timeout", "duration", "10s",
     "How long a revoked partition may finish the records in the gate before it is given up."},
    {"kafka", "auto_offset_reset", "error, earliest or latest", "earliest",
     "Where to start a partition that has no committed offset, or whose next offset Kafka no "
     "longer has: at the start of the log, at its end, or (`error`) stop and wait until you set an "
     "offset."},
    {"kafka", "properties", "map", "none",
     "Any librdkafka property, for example `security.protocol`; secrets also as `NAME_file`."},
    {"kafka", "oauth", "section", "none",
     "Log in with access tokens (OAUTHBEARER), requested by client credentials (RFC 6749, 4.4) and "
     "renewed."},

    {kKafkaOauth, "token_url", "http:// or https:// URL", "required", "Token endpoint."},
    {kKafkaOauth, "client_id", "text", "required", "The client's id."},
    {kKafkaOauth, "client_secret", "secret", "required", "The client's secret."},
    {kKafkaOauth, "client_secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kKafkaOauth, "scope", "text", "none", "Requested scopes, separated by blanks."},
    {kKafkaOauth, "audience", "text", "none",
     "The `audience` parameter; some token servers require it."},
    {kKafkaOauth, "ca_file", "path", "none",
     "CA certificates (PEM) that the token server's certificate is verified against. Default: the "
     "system's."},

    {"redis", "url", "redis://, rediss:// or unix:// URL", "redis://127.0.0.1:6379/0",
     "The server, as `redis://[user:password@]HOST[:PORT][/DATABASE]`; `rediss` for TLS; "
     "`unix:///PATH[?db=DATABASE]` for a Unix socket."},
    {"redis", "username", "text", "none", "The user to log in as, if not in the URL."},
    {"redis", "password", "secret", "none", "The password, if not in the URL."},
    {"redis", "password_file", "path", "none",
     "A file that holds the password; read for each new connection."},
    {"redis", "namespace", "name", "einlass", "Prefix of every key."},
    {"redis", "timeout", "duration", "500ms",
     "A call that is not answered in this time counts as an outage."},
    {"redis", "ca_file", "path", "none",
     "CA certificates to trust instead of the system's; only with `rediss`. This file and the next "
     "two are read for each new connection."},
    {"redis", "cert_file", "path", "none",
     "Client certificate with its chain; only with `rediss`."},
    {"redis", "key_file", "path", "none", "The key to `cert_file`."},
    {"redis", "server_name", "text", "none",
     "Name that the server's certificate must have, if not the URL's host; only with `rediss`."},

    {"redis", "sentinel", "section", "",
     "Ask these Sentinels which server is the primary; of `url` only TLS, the login and the "
     "database are then used."},
    {"redis", "cluster", "true or false", "false",
     "The servers are a Redis Cluster, and `url` is one of its nodes."},
    {"redis", "wait_replicas", "whole number", "0",
     "A permit counts only once this many replicas have it, so that a failover loses none."},
    {"redis.sentinel", "addresses", "list of HOST:PORT", "required",
     "The Sentinels, or some of them; port 26379 may be left out."},
    {"redis.sentinel", "name", "name", "mymaster", "The Sentinels' name for the primary."},
    {"redis.sentinel", "username", "text", "none", "The user to log in as at the Sentinels."},
    {"redis.sentinel", "password", "secret", "none", "The Sentinels' password."},
    {"redis.sentinel", "password_file", "path", "none",
     "A file that holds that password; read for each new connection."},

    {"tracing", "url", "http:// or https:// URL", "required",
     "OTLP/HTTP endpoint for spans, for example `http://127.0.0.1:4318/v1/traces`. A record is "
     "traced if its `traceparent` says sampled."},
    {"tracing", "headers", "map", "none",
     "Headers of every request to it; all are treated as secrets and may come from files, as "
     "`NAME_file: PATH`."},
    {"tracing", "ca_file", "path", "none", "CA certificates to trust instead of the system's."},
};

}  // namespace

std::span<const Option> options_of_service() { return kOptions; }

}  // namespace einlass::config
