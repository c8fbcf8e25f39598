#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

TEST(WrongService, LogAndAdmin) {
  expect_mistakes({
      {top("log: {level: warn}"),
       "1:14: log.level: 'warn' is not known here; write debug, info, warning or error"},
      {top("log: {level: verbose}"),
       "1:14: log.level: 'verbose' is not known here; write debug, info, warning or error"},
      {top("admin: {listen: 9465}"),
       "1:17: admin.listen: '9465' is not a host and port; write HOST:PORT"},
      {top("admin: {listen: localhost}"),
       "1:17: admin.listen: 'localhost' is not a host and port; write HOST:PORT"},
      {top("admin: {listen: ':9465'}"),
       "1:17: admin.listen: ':9465' is not a host and port; write HOST:PORT"},
      {top("admin: {listen: 'localhost:0'}"),
       "1:17: admin.listen: 'localhost:0' has no port from 1 to 65535 after its colon"},
      {top("admin: {listen: 'localhost:70000'}"),
       "1:17: admin.listen: 'localhost:70000' has no port from 1 to 65535 after its colon"},
      {top("admin: {listen: '::1:80'}"),
       "1:17: admin.listen: '::1:80' is not a host and port; write HOST:PORT"},
      {top("admin: {listen: 'fe80::1:80'}"),
       "1:17: admin.listen: 'fe80::1:80' has more than one colon; put brackets around an IPv6 "
       "address, as [::1]:80"},
      {top("admin: {listen: '[::1'}"),
       "1:17: admin.listen: '[::1' is not a host and port; write HOST:PORT"},
      {top("admin: {listen: '[::1]'}"),
       "1:17: admin.listen: '[::1]' is not a host and port; write HOST:PORT"},
      {top("admin: {listen: 'a b:1'}"),
       "1:17: admin.listen: 'a b:1' is not a host and port; write HOST:PORT"},
  });
}

TEST(WrongService, Tracing) {
  expect_mistakes({
      {top("tracing: {url: 'https://h:4318/v1/traces', headers: {x: y}, ca_file: /a}"), ""},
      {top("quotas: {topic: q}"), ""},
      {top("quotas: {redis: true}"), ""},
      {top("quotas: {topic: q, redis: false}"), ""},
      {top("quotas: {}"), "1:9: quotas.topic: missing; write topic: NAME, or redis: true"},
      {top("quotas: {topic: q, redis: true}"),
       "1:27: quotas.redis: stands beside topic; keep one of them"},
      {top("quotas: {topic: a}"),
       "1:17: quotas.topic: 'a' is also read by route r; give the quotas a topic of their own"},
      {"quotas: {topic: d}\n" + route("dead_letter: d"),
       "1:17: quotas.topic: 'd' is also the dead_letter of route r; give the quotas a topic of "
       "their own"},
      {"quotas: {topic: q}\n" + kafka("topic: q"),
       "1:17: quotas.topic: 'q' is also written by target t; give the quotas a topic of their own"},
      {"quotas: {topic: q}\n" + kafka("topic: q, brokers: [elsewhere]"), ""},
      {"quotas: {topic: ab}\n" + kTargets + "routes: [{name: r, topics: ['^a'], target: t}]\n", ""},
      {top("tracing: {headers: {}}"),
       "1:10: tracing.url: missing; write url: http://HOST:4318/v1/traces"},
      {top("tracing: {url: 'http://h:4318'}"),
       "1:16: tracing.url: 'http://h:4318' has no path; write it whole, as "
       "http://HOST:4318/v1/traces"},
      {top("tracing: {url: 'grpc://h:4317/'}"),
       "1:16: tracing.url: 'grpc://h:4317/' is not a URL; write http://HOST:PORT/PATH or "
       "https://..."},
      {top("tracing: {url: 'http://u:hunter2@h/v1/traces'}"),
       "1:16: tracing.url: the value (not shown: it is a secret) has a login in it; write it under "
       "headers, as Authorization_file: PATH"},
      {top("tracing: {url: 'http://h/v1/traces', ca_file: /a}"),
       "1:47: tracing.ca_file: means nothing without TLS; write an https:// URL, or leave it out"},
      {top("tracing: {url: 'http://h/v1/traces', headers: {Content-Type: x}}"),
       "1:48: tracing.headers.Content-Type: set by content_type; leave it out here"},
      {top("tracing: {url: 'http://h/v1/traces', timeout: 1s}"),
       "1:38: tracing.timeout: unknown option; known here: url, headers or ca_file"},
  });
}

TEST(WrongService, AdminTokenAndTls) {
  const TemporaryFile empty("");
  const TemporaryFile lines("one\ntwo\n");
  expect_mistakes({
      {top("admin: {token: ''}"),
       "1:16: admin.token: is empty, and would keep nobody out; leave it out if everybody may see "
       "the pages"},
      {top("admin: {token_file: " + empty.path() + "}"),
       "1:21: admin.token_file: is empty, and would keep nobody out; leave it out if everybody may "
       "see the pages"},
      {top("admin: {token: 'two words'}"),
       "1:16: admin.token: has a blank, a line break or another character that no token may have"},
      {top("admin: {token_file: " + lines.path() + "}"),
       "1:21: admin.token_file: has a blank, a line break or another character that no token may "
       "have"},
      {top("admin: {token: " + std::string(4097, 'x') + "}"),
       "1:16: admin.token: is longer than 4096 characters"},
      {top("admin: {token: a-token, token_file: /x}"),
       "1:37: admin.token_file: stands beside token; keep one of them"},
      {top("admin: {token_file: /no/such/file}"),
       "1:21: admin.token_file: '/no/such/file' cannot be read: No such file or directory"},
      {top("admin: {tls: {cert_file: /a.pem}}"),
       "1:14: admin.tls.key_file: missing; write key_file: PATH"},
      {top("admin: {tls: {key_file: /a.key}}"),
       "1:14: admin.tls.cert_file: missing; write cert_file: PATH"},
      {top("admin: {tls: {cert_file: '', key_file: /a.key}}"),
       "1:26: admin.tls.cert_file: names no file"},
      {top("admin: {tls: true}"), "1:14: admin.tls: expected a section, not one value"},
      {top("admin: {tls: {cert_file: /a, key_file: /b, ca_file: /c}}"),
       "1:44: admin.tls.ca_file: unknown option; known here: cert_file or key_file"},
  });
}

TEST(WrongService, Kafka) {
  expect_mistakes({
      {top("kafka: {brokers: []}"),
       "1:18: kafka.brokers: no broker; write at least one, as [127.0.0.1:9092]"},
      {top("kafka: {brokers: ''}"),
       "1:18: kafka.brokers: '' is not a host and port; write HOST or HOST:PORT"},
      {top("kafka: {brokers: 'a:1,,b:2'}"),
       "1:18: kafka.brokers: '' is not a host and port; write HOST or HOST:PORT"},
      {top("kafka: {brokers: ['a:1', 'b:x']}"),
       "1:26: kafka.brokers[1]: 'b:x' has no port from 1 to 65535 after its colon"},
      {top("kafka: {brokers: 'PLAINTEXT://a:1'}"),
       "1:18: kafka.brokers: 'PLAINTEXT://a:1' is not a host and port; write HOST or HOST:PORT"},
      {top("kafka: {brokers: {a: b}}"), "1:18: kafka.brokers: expected a list, not a section"},
      {top("kafka: {brokers: [{a: b}]}"),
       "1:19: kafka.brokers[0]: expected one value, not a section"},
      {top("kafka: {group: 'a/b'}"),
       "1:16: kafka.group: 'a/b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ "
       "-"},
      {top("kafka: {properties: {bootstrap.servers: a}}"),
       "1:22: kafka.properties.bootstrap.servers: is set by kafka.brokers; leave it out"},
      {top("kafka: {properties: {enable.auto.commit: true}}"),
       "1:22: kafka.properties.enable.auto.commit: is the gate's own: offsets are committed only "
       "once finished; leave it out"},
      {top("kafka: {properties: {a: [b]}}"),
       "1:25: kafka.properties.a: expected one value, not a list"},
      {top("kafka: {properties: {a: }}"),
       "1:25: kafka.properties.a: has no value; write one, or leave the option out"},
      {top("kafka: {properties: {sasl: {password: hunter2}}}"),
       "1:28: kafka.properties.sasl: expected one value, not a section"},
      {top("kafka: {properties: {sasl.password: a, sasl.password_file: /b}}"),
       "1:60: kafka.properties.sasl.password_file: stands beside sasl.password; keep one of them"},
      {top("kafka: {properties: {sasl.password_file: /no/such/file}}"),
       "1:42: kafka.properties.sasl.password_file: '/no/such/file' cannot be read: No such file or "
       "directory"},
  });
}

TEST(WrongService, RedisServers) {
  expect_mistakes({
      {top("redis: {sentinel: [s]}"), "1:19: redis.sentinel: expected a section, not a list"},
      {top("redis: {sentinel: {name: m}}"),
       "1:19: redis.sentinel.addresses: missing; write addresses: [127.0.0.1:26379]"},
      {top("redis: {sentinel: {addresses: []}}"),
       "1:31: redis.sentinel.addresses: no sentinel; write at least one, as [127.0.0.1:26379]"},
      {top("redis: {sentinel: {addresses: [h, 'h:0']}}"),
       "1:35: redis.sentinel.addresses[1]: 'h:0' has no port from 1 to 65535 after its colon"},
      {top("redis: {sentinel: {addresses: [h], adresses: [h]}}"),
       "1:36: redis.sentinel.adresses: unknown option; did you mean `addresses`?"},
      {top("redis: {sentinel: {addresses: [h], username: u}}"),
       "1:46: redis.sentinel.username: has no password beside it; write password_file"},
      {top("redis: {sentinel: {addresses: [h], password: p, password_file: /no}}"),
       "1:64: redis.sentinel.password_file: stands beside password; keep one of them"},
      {top("redis: {cluster: maybe}"),
       "1:18: redis.cluster: 'maybe' is not true or false; write true or false"},
      {top("redis: {cluster: true, sentinel: {addresses: [h]}}"),
       "1:18: redis.cluster: stands beside sentinel, but a cluster looks after its own primaries; "
       "keep one of them"},
      {top("redis: {cluster: true, url: redis://h/1}"),
       "1:29: redis.url: names database 1, but a cluster has only 0; leave the number out"},
      {top("redis: {wait_replicas: -1}"),
       "1:24: redis.wait_replicas: '-1' is not a whole number; write digits only, as 100"},
      {top("redis: {wait_replicas: 101}"),
       "1:24: redis.wait_replicas: '101' is too large; the largest value that works is 100"},
      {top("instances: 0"),
       "1:12: instances: '0' is too small; the smallest value that works is 1"},
  });
}

TEST(WrongService, Redis) {
  expect_mistakes({
      {top("redis: {url: http://h/}"),
       "1:14: redis.url: 'http://h/' is not a Redis URL; write "
       "redis://[user:password@]HOST[:PORT][/DATABASE], rediss:// for TLS, or "
       "unix:///PATH[?db=DATABASE]"},
      {top("redis: {url: 'redis://u:hunter2@h:x/0'}"),
       "1:14: redis.url: the value (not shown: it is a secret) has no port from 1 to 65535 after "
       "its colon"},
      {top("redis: {url: redis://h/one}"),
       "1:14: redis.url: 'redis://h/one' has a database that is no number; write /0 at its end"},
      {top("redis: {url: 'redis://h/0?a=b'}"),
       "1:14: redis.url: the value (not shown: it is a secret) is not a Redis URL; write "
       "redis://[user:password@]HOST[:PORT][/DATABASE], rediss:// for TLS, or "
       "unix:///PATH[?db=DATABASE]"},
      {top("redis: {url: 'redis://u:hunter%2@h/'}"),
       "1:14: redis.url: the value (not shown: it is a secret) has a login that is not "
       "percent-encoded as URLs are; use username and password"},
      {top("redis: {url: 'redis://u:hunter2@h/', username: a}"),
       "1:48: redis.username: the URL has a login too; keep one of them"},
      {top("redis: {url: 'redis://u:hunter2@h/', password: a}"),
       "1:48: redis.password: the URL has a login too; keep one of them"},
      {top("redis: {username: a}"),
       "1:19: redis.username: has no password beside it; write password_file"},
      {top("redis: {password: a, password_file: /b}"),
       "1:37: redis.password_file: stands beside password; keep one of them"},
      {top("redis: {password_file: /no/such/file}"),
       "1:24: redis.password_file: '/no/such/file' cannot be read: No such file or directory"},
      {top("redis: {password_file: /}"),
       "1:24: redis.password_file: '/' cannot be read: Is a directory"},
      {top("redis: {password: [hunter2]}"), "1:19: redis.password: expected one value, not a list"},
      {top("redis: {password: yes}"),
       "1:19: redis.password: the value (not shown: it is a secret) without quotes is a truth to "
       "some YAML readers; put quotes around the text"},
      {top("redis: {ca_file: /a}"),
       "1:18: redis.ca_file: means nothing without TLS; write a rediss:// URL, or leave it out"},
      {top("redis: {server_name: a}"),
       "1:22: redis.server_name: means nothing without TLS; write a rediss:// URL, or leave it "
       "out"},
      {top("redis: {namespace: 'a:b'}"),
       "1:20: redis.namespace: 'a:b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . "
       "_ -"},
      {top("redis: {timeout: 0}"),
       "1:18: redis.timeout: '0' is too small; the smallest value that works is 1ms"},
      {top("redis: {timeout: 2m}"),
       "1:18: redis.timeout: '2m' is too large; the largest value that works is 1m"},
      {top("redis: {url: hunter2, ca_file: /a}"),
       "1:14: redis.url: 'hunter2' is not a Redis URL; write "
       "redis://[user:password@]HOST[:PORT][/DATABASE], rediss:// for TLS, or "
       "unix:///PATH[?db=DATABASE]"},
  });
}

TEST(WrongService, RedisFilesAndSockets) {
  expect_mistakes({
      {top("redis: {cert_file: /a, key_file: /b}"),
       "1:20: redis.cert_file: means nothing without TLS; write a rediss:// URL, or leave it out\n"
       "1:34: redis.key_file: means nothing without TLS; write a rediss:// URL, or leave it out"},
      {top("redis: {url: rediss://h, cert_file: /a}"),
       "1:37: redis.cert_file: stands alone; write key_file beside it"},
      {top("redis: {url: rediss://h, key_file: /a}"),
       "1:36: redis.key_file: stands alone; write cert_file beside it"},
      {top("redis: {url: unix://host/a}"),
       "1:14: redis.url: 'unix://host/a' is not a Redis URL; write "
       "redis://[user:password@]HOST[:PORT][/DATABASE], rediss:// for TLS, or "
       "unix:///PATH[?db=DATABASE]"},
      {top("redis: {url: 'unix:///run/a?db=x'}"),
       "1:14: redis.url: the value (not shown: it is a secret) has a database that is no number; "
       "write ?db=0 at its end"},
      {top("redis: {url: unix:///" + std::string(107, 'a') + "}"),
       "1:14: redis.url: 'unix:///" + std::string(52, 'a') +
           "...' has a path that is longer than the 107 bytes that a Unix socket may have"},
      {top("redis: {url: unix:///run/a, cluster: true}"),
       "1:38: redis.cluster: the nodes of a cluster are reached over TCP; write a redis:// URL"},
  });
}

}  // namespace
}  // namespace einlass::config
