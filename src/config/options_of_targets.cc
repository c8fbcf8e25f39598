#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kKafkaTarget = "targets.NAME.kafka";
constexpr std::string_view kHttp = "targets.NAME.http";
constexpr std::string_view kHttpBatch = "targets.NAME.http.batch";
constexpr std::string_view kAuth = "targets.NAME.http.auth";
constexpr std::string_view kBasic = "targets.NAME.http.auth.basic";
constexpr std::string_view kOauth2 = "targets.NAME.http.auth.oauth2";
constexpr std::string_view kKafkaTargetOauth = "targets.NAME.kafka.oauth";
constexpr std::string_view kByBody = "targets.NAME.http.by_body[]";
constexpr std::string_view kSign = "targets.NAME.http.sign";

constexpr Option kOptions[] = {
    {"targets.NAME", "http", "section", "see text",
     "Deliver to an HTTP server; a target has this or `kafka`."},
    {"targets.NAME", "kafka", "section", "see text",
     "Deliver to a Kafka topic; a target has this or `http`."},
    {"targets.NAME", "retry", "section", "",
     "When failed attempts are retried, unless a route says otherwise."},
    {"targets.NAME", "breaker", "section", "",
     "The circuit breaker: when nothing is sent to a failing target."},

    {kHttp, "url", "http:// or https:// URL", "required",
     "Where each record is sent. {topic}, {partition}, {offset}, {key}, {header:NAME} and "
     "{json:/pointer} are replaced by the record's, percent-encoded; {{ and }} are braces."},
    {kHttp, "urls", "list of URLs", "see text",
     "Instead of `url`: several servers, each with its own health."},
    {kHttp, "balance", "round_robin or key", "round_robin",
     "Which of `urls` gets a record: each in turn, or the same one for the same key while it is "
     "healthy."},
    {kHttp, "allow_hosts", "list of names", "see text",
     "Required if the URL's host comes from the record: the hosts that may be called, as "
     "`billing.example`, `*.billing.example` (all names below it) or `*`."},
    {kHttp, "allow_private", "true or false", "false",
     "Whether such a host may resolve to your own network: loopback, link-local, private ranges."},
    {kHttp, "allow_slash", "true or false", "false",
     "Whether a part of the URL's path that comes from the record may contain `/` (sent as %2F); "
     "if not, such a record is refused."},
    {kHttp, "method", "HTTP method", "POST",
     "The request's method; may be {header:NAME} or another placeholder."},
    {kHttp, "timeout", "duration", "5s",
     "Time from the start of the request to the end of the response."},
    {kHttp, "max_in_flight", "whole number", "64",
     "Requests at a time; with HTTP/1.1 each has its own connection. If limits have keys, one key "
     "alone gets at most seven eighths of them, so that others find room."},
    {kHttp, "headers", "map", "none",
     "Headers of every request; secrets also as `NAME_file`. Values may contain the placeholders "
     "above, except in headers with a secret's name."},
    {kHttp, "forward_headers", "list of names", "none",
     "Record headers to forward, besides `traceparent`, `tracestate` and `baggage`."},
    {kHttp, "long_key", "refuse or leave_out", "refuse",
     "What happens to a record whose key is longer than `head_bytes` as a header: it becomes a "
     "dead letter (`too_large`), or is sent without `Kafka-Key`."},
    {kHttp, "head_bytes", "size", "8KiB",
     "How much of a record may go into the request's head: its key plus the forwarded headers, and "
     "each placeholder in the URL or a header."},
    {kHttp, "content_type", "text", "application/octet-stream",
     "`Content-Type` of records that have none."},
    {kHttp, "compress", "none or gzip", "none",
     "Compression of bodies (Content-Encoding); bodies under 128 bytes are not compressed."},
    {kHttp, "batch", "section", "", "Send several records in one request."},
    {kHttp, "ca_file", "path", "none",
     "CA certificates to trust instead of the system's; only with `https`."},
    {kHttp, "server_name", "text", "none",
     "Name that the server's certificate must have, if not the URL's host; only with `https`."},
    {kHttp, "http2", "auto, always or never", "auto",
     "HTTP/2: `auto` if the server chooses it in TLS, `always` also without TLS (a server that "
     "does not speak it is a failed attempt), or `never`."},
    {kHttp, "cert_file", "path", "none",
     "Client certificate with its chain, PEM; read again when it changes; only with `https`."},
    {kHttp, "key_file", "path", "none", "The key of `cert_file`, PEM, without a passphrase."},
    {kHttp, "verify", "true or false", "true",
     "Whether the target's certificate and name are verified. Without it anyone on the path can "
     "read, answer and steal the login; for tests only."},
    {kHttp, "proxy", "http:// URL, a secret", "none",
     "HTTP proxy (CONNECT) to the target and its token server, as "
     "`http://[user:password@]HOST:PORT`."},
    {kHttp, "proxy_file", "path", "none", "A file that holds that URL."},
    {kHttp, "auth", "section", "", "Authentication; one of its options."},
    {kHttp, "sign", "section", "", "Signatures as in Standard Webhooks."},
    {kHttp, "accept", "list of statuses", "see text",
     "Statuses that mean delivered. Default: 2xx; with `[200, 202]` no other 2xx."},
    {kHttp, "retry", "list of statuses", "see text",
     "Statuses that mean retry, besides 408, 425, 429 and 5xx."},
    {kHttp, "refuse", "list of statuses", "see text",
     "Statuses that mean refused, besides all others. A single status takes precedence over a "
     "class such as `5xx`."},
    {kHttp, "by_body", "list of rules", "none",
     "Rules on the response's JSON body, which take precedence over its status; the first that "
     "matches."},

    {kByBody, "json", "JSON pointer", "required", "Place in the body, for example `/error/code`."},
    {kByBody, "equals", "text", "required", "The expected value: a string, number or boolean."},
    {kByBody, "then", "accept, retry or refuse", "required", "What the response means."},

    {kAuth, "basic", "section", "", "A name and a password (RFC 7617)."},
    {kAuth, "bearer", "secret", "none", "A token (RFC 6750)."},
    {kAuth, "bearer_file", "path", "none",
     "A file that holds the token; read again when it changes."},
    {kAuth, "oauth2", "section", "",
     "A token requested by client credentials (RFC 6749, 4.4) and renewed."},

    {kBasic, "username", "text", "required", "The name."},
    {kBasic, "password", "secret", "required", "The password."},
    {kBasic, "password_file", "path", "none",
     "A file that holds the password; read again when it changes."},

    {kOauth2, "token_url", "http:// or https:// URL", "required",
     "Token endpoint; the target's `ca_file`, `cert_file` and `verify` apply to it too."},
    {kOauth2, "client_id", "text", "required", "The client's id."},
    {kOauth2, "client_secret", "secret", "required", "The client's secret."},
    {kOauth2, "client_secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kOauth2, "scope", "text", "none", "Requested scopes, separated by blanks."},
    {kOauth2, "audience", "text", "none",
     "The `audience` parameter; some token servers require it."},

    {kSign, "secret", "secret", "required",
     "`whsec_` and base64 signs by HMAC-SHA256 (`v1`), `whsk_` and base64 by ed25519 (`v1a`)."},
    {kSign, "secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kSign, "previous_secret", "secret", "none",
     "A second signature with the previous secret, while receivers change from one to the other."},
    {kSign, "previous_secret_file", "path", "none",
     "A file that holds that one; read again when it changes."},

    {kKafkaTarget, "topic", "topic", "required",
     "The topic; each record is written to it unchanged."},
    {kKafkaTarget, "brokers", "list of HOST:PORT", "see text",
     "Bootstrap brokers, if they differ from those of `kafka`; a list or one comma-separated "
     "string."},
    {kKafkaTarget, "properties", "map", "none",
     "Any librdkafka property; secrets also as `NAME_file`. Without `brokers` those of `kafka` "
     "apply too, unless overridden here."},
    {kKafkaTarget, "oauth", "section", "see text",
     "Log in with access tokens. Default: that of `kafka`, if the target has neither `brokers` nor "
     "a login of its own."},
    {kKafkaTarget, "partition", "key or same", "key",
     "Which partition: by the record's key, as Java producers choose it (`murmur2_random`), or the "
     "number that the record was read from."},
    {kKafkaTarget, "exactly_once", "true or false", "false",
     "Write records and commit their offsets in one transaction, so that consumers with "
     "`isolation.level: read_committed` see each record once, whatever fails. Only for a topic in "
     "the cluster of `kafka`, with `kafka.static_membership`."},
    {kKafkaTarget, "max_in_flight", "whole number", "1000",
     "Records in flight at a time; at most 100,000."},
    {kKafkaTarget, "timeout", "duration", "30s",
     "Time from an attempt's start to the acknowledgement of all in-sync replicas; transient "
     "errors are retried within it."},

    {kKafkaTargetOauth, "token_url", "http:// or https:// URL", "required", "Token endpoint."},
    {kKafkaTargetOauth, "client_id", "text", "required", "The client's id."},
    {kKafkaTargetOauth, "client_secret", "secret", "required", "The client's secret."},
    {kKafkaTargetOauth, "client_secret_file", "path", "none",
     "A file that holds the secret; read again when it changes."},
    {kKafkaTargetOauth, "scope", "text", "none", "Requested scopes, separated by blanks."},
    {kKafkaTargetOauth, "audience", "text", "none",
     "The `audience` parameter; some token servers require it."},
    {kKafkaTargetOauth, "ca_file", "path", "none",
     "CA certificates (PEM) that the token server's certificate is verified against. Default: the "
     "system's."},

    {"targets.NAME.retry", "initial", "duration", "200ms",
     "Upper bound of the first delay; it doubles with each attempt."},
    {"targets.NAME.retry", "max", "duration", "30s", "Upper bound of the delay."},
    {"targets.NAME.retry", "budget", "share", "20%",
     "Most of the target's attempts that may be retries while fresh records could go instead; 100% "
     "is first come, first served."},

    {kHttpBatch, "records", "whole number", "100",
     "Most records in one request, 2 to 1000; each needs its own permit."},
    {kHttpBatch, "bytes", "size", "1MiB",
     "Most bytes in one request; a single record may be larger."},
    {kHttpBatch, "linger", "duration", "5ms",
     "How long the first record of a request waits for others; at most half of the limits' "
     "`use_within`."},
    {kHttpBatch, "format", "`json`, `lines` or `length_prefixed`", "json",
     "Format of the body: a JSON array, one value a line, or each value after its length in four "
     "bytes (big-endian)."},

    {"targets.NAME.breaker", "failures", "whole number", "16",
     "After this many consecutive failed attempts the breaker opens, and single attempts probe the "
     "target; 0 = no breaker."},
    {"targets.NAME.breaker", "wait", "duration", "500ms",
     "How long nothing is sent before one attempt probes the target; doubled after every third "
     "probe."},
    {"targets.NAME.breaker", "max_wait", "duration", "30s", "Upper bound of the delay."},
};

}  // namespace

std::span<const Option> options_of_targets() { return kOptions; }

}  // namespace einlass::config
