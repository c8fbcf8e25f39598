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
    {kHttp, "allow_slash", "true or false", "false",
     "Whether what the record writes into the URL's path may have `/` in it, as %2F; else it has "
     "no "
     "URL then."},
    {kHttp, "method", "HTTP method", "POST",
     "The request's method; may be {header:NAME} or another of the places above."},
    {kHttp, "timeout", "duration", "5s", "From the request's start to the end of the answer."},
    {kHttp, "max_in_flight", "whole number", "64",
     "Requests at a time; with HTTP/1.1 each has a connection. Where limits have keys one key "
     "alone "
     "takes seven eighths of them: the rest is for the next."},
    {kHttp, "headers", "map", "none",
     "Headers of every request; secrets also as `NAME_file`. Their values may have the places "
     "above, but for those with a secret's name."},
    {kHttp, "forward_headers", "list of names", "none",
     "Record headers to send on besides `traceparent`, `tracestate` and `baggage`."},
    {kHttp, "long_key", "refuse or leave_out", "refuse",
     "What becomes of a record whose key is more than `head_bytes` as a header: a dead letter "
     "(`too_large`), or sent without `Kafka-Key`."},
    {kHttp, "head_bytes", "size", "8KiB",
     "What a record may write into a request's head: its key with the headers that are sent on, "
     "and "
     "each part of the URL or of a header."},
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
     "After so many failed attempts in a row the target is left alone and probed; 0 is never."},
    {"targets.NAME.breaker", "wait", "duration", "500ms",
     "How long nothing is sent; then one attempt probes the target. After each three waits they "
     "double."},
    {"targets.NAME.breaker", "max_wait", "duration", "30s", "The longest wait."},
};

}  // namespace

std::span<const Option> options_of_targets() { return kOptions; }

}  // namespace einlass::config
