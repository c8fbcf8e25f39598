#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

TEST(WrongTarget, Shape) {
  expect_mistakes({
      {kRoutes,
       "1:1: targets: missing; write at least one, as targets: {NAME: {http: {url: ...}}}\n1:41: "
       "routes[0].target: 't' is no target of this file; write it under targets"},
      {"targets:\n" + kRoutes,
       "2:41: routes[0].target: 't' is no target of this file; write it under targets"},
      {targets("{t: {}}"),
       "1:14: targets.t.http: missing; write http: {url: http://HOST:PORT/PATH}, or kafka: {topic: "
       "TOPIC}"},
      {targets("{t: {https: {url: a}}}"),
       "1:15: targets.t.https: unknown option; did you mean `http`?"},
      {targets("{t: {http: {}}}"),
       "1:21: targets.t.http.url: missing; write url: http://HOST:PORT/PATH"},
      {targets("{t: {http: http://h/}}"),
       "1:21: targets.t.http: expected a section, not one value"},
      {targets("{t: http://h/}"), "1:14: targets.t: expected a section, not one value"},
      {targets("{'a/b': {http: {url: http://h/}}}"),
       "1:11: targets.a/b: 'a/b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ "
       "-\n2:41: routes[0].target: 't' is no target of this file; there is a/b"},
  });
}

TEST(WrongTarget, Kafka) {
  expect_mistakes({
      {targets("{t: {kafka: {}}}"), "1:22: targets.t.kafka.topic: missing; write topic: TOPIC"},
      {kafka("topic: 'a b'"),
       "1:30: targets.t.kafka.topic: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z "
       "0-9 . _ -"},
      {kafka("topic: a"),
       "2:41: routes[0].target: writes to 'a', which this route reads, so records would go round "
       "forever"},
      {kafka("topic: a, brokers: '127.0.0.1:9092'"),
       "2:41: routes[0].target: writes to 'a', which this route reads, so records would go round "
       "forever"},
      {kafka("topic: a, brokers: other"), ""},
      {kafka("topic: b, partition: none"),
       "1:44: targets.t.kafka.partition: 'none' is not known here; write key or same"},
      {kafka("topic: b, brokers: []"),
       "1:42: targets.t.kafka.brokers: no broker; write at least one, as [127.0.0.1:9092]"},
      {kafka("topic: b, brokers: 'a:b'"),
       "1:42: targets.t.kafka.brokers: 'a:b' has no port from 1 to 65535 after its colon"},
      {kafka("topic: b, properties: {message.timeout.ms: 5}"),
       "1:66: targets.t.kafka.properties.message.timeout.ms: is set by timeout; leave it out"},
      {kafka("topic: b, properties: {queue.buffering.max.messages: 5}"),
       "1:76: targets.t.kafka.properties.queue.buffering.max.messages: is bounded by "
       "max_in_flight; leave it out"},
      {kafka("topic: b, max_in_flight: 100001"),
       "1:48: targets.t.kafka.max_in_flight: '100001' is too large; the largest value that works "
       "is 100000"},
      {kafka("topic: b, timeout: 1ms"),
       "1:42: targets.t.kafka.timeout: '1ms' is too small; the smallest value that works is "
       "100ms"},
      {kafka("topic: b, exactly_once: true, timeout: 14m"), ""},
      {"kafka: {brokers: h, properties: {partition.assignment.strategy: cooperative-sticky}}\n" +
           kafka("topic: b, exactly_once: true"),
       "2:47: targets.t.kafka.exactly_once: needs partitions that are handed over all at once; "
       "leave out cooperative-sticky in kafka.properties"},
      {kafka("topic: b, brokers: c, max_in_flight: 3, exactly_once: false, timeout: 20m"), ""},
      {"shards: 4\n" + kafka("topic: b, exactly_once: true"), ""},
      {targets("{t: {kafka: {topic: b}, http: {url: 'http://a'}}}"),
       "1:22: targets.t.kafka: stands beside http; a target is one of them"},
      {"shards: 4\n" + kafka("topic: b, max_in_flight: 3"),
       "1:9: shards: '4' is too many for targets.t.kafka.max_in_flight, which is split between the "
       "shards; write at most 3, or raise that"},
  });
}

TEST(WrongTarget, Url) {
  expect_mistakes({
      {url("h"),
       "2:19: targets.t.http.url: 'h' is not a URL; write http://HOST:PORT/PATH or https://..."},
      {url("ftp://h/"),
       "2:19: targets.t.http.url: 'ftp://h/' is not a URL; write http://HOST:PORT/PATH or "
       "https://..."},
      {url("http://"),
       "2:19: targets.t.http.url: 'http://' names no host; write http://HOST:PORT/PATH"},
      {url("http:///a"),
       "2:19: targets.t.http.url: 'http:///a' names no host; write http://HOST:PORT/PATH"},
      {url("'http://h:99999/'"),
       "2:19: targets.t.http.url: 'http://h:99999/' has no port from 1 to 65535 after its colon"},
      {url("'http://h:/'"),
       "2:19: targets.t.http.url: 'http://h:/' has no port from 1 to 65535 after its colon"},
      {url("http://u:hunter2@h/"),
       "2:19: targets.t.http.url: the value (not shown: it is a secret) has a login in it; write "
       "it under auth, as basic"},
      {url("'http://h/#a'"),
       "2:19: targets.t.http.url: 'http://h/#a' has a # in it, which no server gets to see; leave "
       "it out"},
      {url("'http://h/a b'"),
       "2:19: targets.t.http.url: 'http://h/a b' has a space or another character that URLs write "
       "with a %, as %20"},
      {url("'http://h/ü'"),
       "2:19: targets.t.http.url: 'http://h/ü' has a space or another character that URLs write "
       "with a %, as %20"},
      {url("'http://[::1/'"),
       "2:19: targets.t.http.url: 'http://[::1/' is not a host and port; write HOST or HOST:PORT"},
  });
}

TEST(WrongTarget, TheRest) {
  expect_mistakes({
      {http("method: post"),
       "2:38: targets.t.http.method: 'post' is not an HTTP method; write POST, PUT or PATCH"},
      {http("method: 'PO ST'"),
       "2:38: targets.t.http.method: 'PO ST' is not an HTTP method; write POST, PUT or PATCH"},
      {http("method: HEAD"),
       "2:38: targets.t.http.method: 'HEAD' delivers nothing; write POST, PUT or PATCH"},
      {http("timeout: 0"),
       "2:39: targets.t.http.timeout: '0' is too small; the smallest value that works is 1ms"},
      {http("max_in_flight: 0"),
       "2:45: targets.t.http.max_in_flight: '0' is too small; the smallest value that works is 1"},
      {http("max_in_flight: 20000"),
       "2:45: targets.t.http.max_in_flight: '20000' is too large; the largest value that works is "
       "10000"},
  });
}

TEST(WrongTarget, Headers) {
  expect_mistakes({
      {http("headers: [a]"), "2:39: targets.t.http.headers: expected a section, not a list"},
      {http("headers: {Host: a}"),
       "2:40: targets.t.http.headers.Host: written by the gate itself; leave it out"},
      {http("headers: {content-length: 5}"),
       "2:40: targets.t.http.headers.content-length: written by the gate itself; leave it out"},
      {http("headers: {Idempotency-Key: a}"),
       "2:40: targets.t.http.headers.Idempotency-Key: written by the gate itself; leave it out"},
      {http("headers: {Einlass-Permit: a}"),
       "2:40: targets.t.http.headers.Einlass-Permit: written by the gate itself; leave it out"},
      {http("headers: {kafka-topic: a}"),
       "2:40: targets.t.http.headers.kafka-topic: written by the gate itself; leave it out"},
      {http("headers: {'A B': a}"),
       "2:40: targets.t.http.headers.A B: not a header's name; write letters, digits and -"},
      {http("headers: {'Ä': a}"),
       "2:40: targets.t.http.headers.Ä: not a header's name; write letters, digits and -"},
      {http("headers: {A: \"b\\r\\nC: d\"}"),
       "2:40: targets.t.http.headers.A: its value has a line break or another control character"},
      {http("headers: {A: a, a: b}"),
       "2:46: targets.t.http.headers.a: written twice; keep one of them"},
      {http("headers: {A: a, A: b}"),
       "2:46: targets.t.http.headers.A: written twice; keep one of them"},
      {http("headers: {Content-Type: text/plain}"),
       "2:40: targets.t.http.headers.Content-Type: set by content_type; leave it out here"},
      {http("headers: {A: on}"),
       "2:43: targets.t.http.headers.A: 'on' without quotes is a truth to some YAML readers; put "
       "quotes around the text"},
      {http("headers: {Authorization: a, Authorization_file: /b}"),
       "2:78: targets.t.http.headers.Authorization_file: stands beside Authorization; keep one of "
       "them"},
      {http("headers: {Authorization_file: /no/such/file}"),
       "2:60: targets.t.http.headers.Authorization_file: '/no/such/file' cannot be read: No such "
       "file or directory"},
      {http("headers: {Authorization: [hunter2]}"),
       "2:55: targets.t.http.headers.Authorization: expected one value, not a list"},
      {http("forward_headers: a"),
       "2:47: targets.t.http.forward_headers: expected a list, not one value; put it into [ ]"},
      {http("forward_headers: [Host]"),
       "2:48: targets.t.http.forward_headers[0]: 'Host' is written by the gate itself; leave it "
       "out"},
      {http("forward_headers: [traceparent]"),
       "2:48: targets.t.http.forward_headers[0]: 'traceparent' is always sent on; leave it out"},
      {http("forward_headers: [authorization]"),
       "2:48: targets.t.http.forward_headers[0]: 'authorization' is a login and not the record's "
       "to give; use headers"},
      {http("forward_headers: ['a b']"),
       "2:48: targets.t.http.forward_headers[0]: 'a b' is not a header's name; write letters, "
       "digits and -"},
      {http("forward_headers: [a, A]"),
       "2:51: targets.t.http.forward_headers[1]: 'A' is written twice; keep one of them"},
      {http("headers: {A: b}, forward_headers: [a]"),
       "2:65: targets.t.http.forward_headers[0]: 'a' is set by headers already; keep one of them"},
      {http("content_type: json"),
       "2:44: targets.t.http.content_type: 'json' is not a media type; write application/json or "
       "text/plain"},
      {http("content_type: \"text/plain; \\n\""),
       "2:44: targets.t.http.content_type: 'text/plain;  ' has a line break, a tab or another "
       "control character"},
      {http("ca_file: /a"),
       "2:39: targets.t.http.ca_file: means nothing without TLS; write an https:// URL, or leave "
       "it out"},
      {http("server_name: a"),
       "2:43: targets.t.http.server_name: means nothing without TLS; write an https:// URL, or "
       "leave it out"},
      {http("http2: true"),
       "2:37: targets.t.http.http2: 'true' is not known here; write auto, always or never"},
  });
}

TEST(WrongTarget, Logins) {
  expect_mistakes({
      {http("auth: {basic: {username: a, password: \"hunter2\\n\"}}"),
       "2:68: targets.t.http.auth.basic.password: the value (not shown: it is a secret) has a line "
       "break, a tab or another control character"},
      {http("auth: {bearer: a, bearer_file: /b}"),
       "2:61: targets.t.http.auth.bearer_file: stands beside bearer; keep one of them"},
      {http("auth: {bearer_file: /no/such/file}"),
       "2:50: targets.t.http.auth.bearer_file: '/no/such/file' cannot be read: No such file or "
       "directory"},
      {http("auth: {bearer: hünter2}"),
       "2:45: targets.t.http.auth.bearer: has a line break or another character that no header may "
       "have"},
      {http("auth: {bearer: ''}"), "2:45: targets.t.http.auth.bearer: is empty"},
      {http("auth: {oauth2: {token_url: http://a:hunter2@h/, client_id: a, client_secret: b}}"),
       "2:57: targets.t.http.auth.oauth2.token_url: the value (not shown: it is a secret) has a "
       "login in it; write it as client_id and client_secret_file"},
      {http("forward_headers: [authorization-x, webhook-id], sign: {secret: whsec_hunter2}"),
       "2:84: targets.t.http.sign: writes the header webhook-id, which stands under headers or "
       "forward_headers; keep one of them"},
      {http("sign: {secret: hunter2}"),
       "2:45: targets.t.http.sign.secret: is no key of Standard Webhooks; write whsec_ and base64 "
       "(HMAC), or whsk_ and base64 (ed25519)"},
      {http("sign: {previous_secret: whsec_a}"),
       "2:36: targets.t.http.sign.secret: missing; write secret_file: PATH"},
  });
}

TEST(WrongTarget, Answers) {
  expect_mistakes({
      {http("accept: 200"),
       "2:38: targets.t.http.accept: expected a list, not one value; put it into [ ]"},
      {http("accept: [OK]"),
       "2:39: targets.t.http.accept[0]: 'OK' is not a status; write 202, or 2xx for all of them, "
       "from 200 to 599"},
      {http("retry: [404, 404]"),
       "2:43: targets.t.http.retry[1]: '404' stands under retry already; keep one of them"},
      {http("by_body: [{json: /a~2, equals: b, then: retry}]"),
       "2:47: targets.t.http.by_body[0].json: '/a~2' is not a JSON pointer; write /error/code"},
      {http("by_body: [{json: /a, equals: yes, then: retry}]"), ""},
  });
}

TEST(WrongTarget, RetryAndBreaker) {
  const auto with = [](const std::string& rest) {
    return targets("{t: {http: {url: http://h/}, " + rest + "}}");
  };
  expect_mistakes({
      {with("retry: {budget: 20}"),
       "1:55: targets.t.retry.budget: '20' is not a share; write 20% or 100%"},
      {with("retry: {budget: -1%}"),
       "1:55: targets.t.retry.budget: '-1%' is not a share; write 20% or 100%"},
      {with("retry: {budget: 0%}"),
       "1:55: targets.t.retry.budget: '0%' is too small; the smallest value that works is 1%"},
      {with("retry: {budget: 101%}"),
       "1:55: targets.t.retry.budget: '101%' is too large; the largest value that works is 100%"},
      {with("retry: {initial: 1m}"),
       "1:56: targets.t.retry.initial: initial (1m) is longer than max (30s)"},
      {with("retry: {attempts: 3}"),
       "1:47: targets.t.retry.attempts: unknown option; known here: initial, max or budget"},
      {with("breaker: {failures: many}"),
       "1:59: targets.t.breaker.failures: 'many' is not a whole number; write digits only, as 100"},
      {with("breaker: {wait: 1m}"),
       "1:55: targets.t.breaker.wait: wait (1m) is longer than max_wait (30s)"},
      {with("breaker: {max_wait: 10ms}"),
       "1:59: targets.t.breaker.max_wait: wait (500ms) is longer than max_wait (10ms)"},
  });
}

}  // namespace
}  // namespace einlass::config
