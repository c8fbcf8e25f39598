#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

TEST(WrongValue, NamesAndTruths) {
  expect_mistakes({
      {top("instance: yes"),
       "1:11: instance: 'yes' without quotes is a truth to some YAML readers; put quotes around "
       "the text"},
      {top("kafka: {group: on}"),
       "1:16: kafka.group: 'on' without quotes is a truth to some YAML readers; put quotes around "
       "the text"},
      {top("redis: {username: No, password: a}"),
       "1:19: redis.username: 'No' without quotes is a truth to some YAML readers; put quotes "
       "around the text"},
      {top("kafka: {static_membership: yes}"),
       "1:28: kafka.static_membership: 'yes' is not true or false; write true"},
      {top("kafka: {static_membership: Off}"),
       "1:28: kafka.static_membership: 'Off' is not true or false; write false"},
      {top("kafka: {static_membership: True}"),
       "1:28: kafka.static_membership: 'True' is not true or false; write true"},
      {top("kafka: {static_membership: perhaps}"),
       "1:28: kafka.static_membership: 'perhaps' is not true or false; write true or false"},
      {top("kafka: {properties: {check.crcs: yes}}"),
       "1:34: kafka.properties.check.crcs: 'yes' without quotes is a truth to some YAML readers; "
       "put quotes around the text"},
      {top("instance: a b"),
       "1:11: instance: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ -"},
      {top("instance: ''"),
       "1:11: instance: '' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ -"},
      {top("instance: " + std::string(250, 'a')),
       "1:11: instance: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is not a "
       "name; write 1 to 249 of the characters a-z A-Z 0-9 . _ -"},
      {top("kafka: {group: \"a\\nb\"}"),
       "1:16: kafka.group: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ "
       "-"},
  });
}

TEST(WrongValue, Numbers) {
  expect_mistakes({
      {top("shards: 65"), "1:9: shards: '65' is too large; the largest value that works is 64"},
      {top("shards: 3\ninside: {records: 2}"),
       "1:9: shards: '3' is too many for inside.records, which is split between the shards; write "
       "at "
       "most 2, or raise that"},
      {top("shards: 3\ninside: {bytes: 2KiB}"),
       "1:9: shards: '3' is too many for inside.bytes, which is split between the shards; write at "
       "most 2, or raise that"},
      {"shards: 3\n" + http("max_in_flight: 2"),
       "1:9: shards: '3' is too many for targets.t.http.max_in_flight, which is split between the "
       "shards; write at most 2, or raise that"},
      {top("shards: 0"), "1:9: shards: '0' is too small; the smallest value that works is 1"},
      {top("shards: two"), "1:9: shards: 'two' is not a whole number; write digits only, as 100"},
      {top("shards: -1"), "1:9: shards: '-1' is not a whole number; write digits only, as 100"},
      {top("shards: 1.0"), "1:9: shards: '1.0' is not a whole number; write digits only, as 100"},
      {top("shards: 01"),
       "1:9: shards: '01' starts with a 0, which some YAML readers take for octal; write it "
       "without"},
      {top("shards: 99999999999999999999"),
       "1:9: shards: '99999999999999999999' is too large; the largest value that works is 64"},
      {top("watchdog: 999ms"),
       "1:11: watchdog: '999ms' is too small; the smallest value that works is 1s"},
      {top("watchdog: 2h"),
       "1:11: watchdog: '2h' is too large; the largest value that works is 1h"},
      {top("inside: {records: 0}"),
       "1:19: inside.records: '0' is too small; the smallest value that works is 1"},
      {top("inside: {records: 10000001}"),
       "1:19: inside.records: '10000001' is too large; the largest value that works is 10000000"},
      {top("inside: {bytes: 1000}"),
       "1:17: inside.bytes: '1000' has no unit; write 512KiB, 16MiB or 1GiB"},
      {top("inside: {bytes: 16 MiB}"),
       "1:17: inside.bytes: '16 MiB' is not a size; write 512KiB, 16MiB or 1GiB"},
      {top("inside: {bytes: 16mb}"),
       "1:17: inside.bytes: '16mb' is not a size; write 512KiB, 16MiB or 1GiB"},
      {top("inside: {bytes: 1B}"),
       "1:17: inside.bytes: '1B' is too small; the smallest value that works is 1KiB"},
      {top("inside: {bytes: 9999999999GiB}"),
       "1:17: inside.bytes: '9999999999GiB' is too large; the largest value that works is 1024GiB"},
  });
}

TEST(WrongValue, Durations) {
  expect_mistakes({
      {top("drain_timeout: 1 sec"),
       "1:16: drain_timeout: '1 sec' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: 10"), "1:16: drain_timeout: '10' has no unit; write 500ms, 1s or 2m"},
      {top("drain_timeout: -1s"),
       "1:16: drain_timeout: '-1s' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: 2h"),
       "1:16: drain_timeout: '2h' is too large; the largest value that works is 1h"},
      {top("drain_timeout: 1.5"),
       "1:16: drain_timeout: '1.5' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: 1.0000001s"),
       "1:16: drain_timeout: '1.0000001s' is finer than a microsecond; the smallest step is 1us"},
      {top("drain_timeout: 0.5us"),
       "1:16: drain_timeout: '0.5us' is finer than a microsecond; the smallest step is 1us"},
      {top("drain_timeout: .5s"),
       "1:16: drain_timeout: '.5s' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: 1.s"),
       "1:16: drain_timeout: '1.s' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: 1..5s"),
       "1:16: drain_timeout: '1..5s' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: 99999999999999999999s"),
       "1:16: drain_timeout: '99999999999999999999s' is too large; the largest value that works is "
       "1h"},
      {top("drain_timeout: 300000d"),
       "1:16: drain_timeout: '300000d' is too large; the largest value that works is 1h"},
      {top("drain_timeout: s"),
       "1:16: drain_timeout: 's' is not a duration; write 1s, 500ms or 2m"},
      {top("drain_timeout: ''"),
       "1:16: drain_timeout: '' is not a duration; write 1s, 500ms or 2m"},
      {top("kafka: {commit_interval: 0}"),
       "1:26: kafka.commit_interval: '0' is too small; the smallest value that works is 1ms"},
      {top("kafka: {auto_offset_reset: none}"),
       "1:28: kafka.auto_offset_reset: 'none' is not known here; write error, earliest or latest"},
      {top("kafka: {properties: {auto.offset.reset: latest}}"),
       "1:22: kafka.properties.auto.offset.reset: is set by kafka.auto_offset_reset; leave it out"},
      {top("kafka: {revoke_timeout: 1h}"),
       "1:25: kafka.revoke_timeout: '1h' is too large; the largest value that works is 5m"},
  });
}

TEST(WrongValue, Rates) {
  expect_mistakes({
      {limit("algorithm: token_bucket, rate: 100, burst: 1"),
       "2:38: limits.l.rate: '100' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 100/sec, burst: 1"),
       "2:38: limits.l.rate: '100/sec' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 0.5/s, burst: 1"),
       "2:38: limits.l.rate: '0.5/s' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 1/0s, burst: 1"),
       "2:38: limits.l.rate: '1/0s' is over no time; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: -1/s, burst: 1"),
       "2:38: limits.l.rate: '-1/s' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 1/1/s, burst: 1"),
       "2:38: limits.l.rate: '1/1/s' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 99999999999999999999/s, burst: 1"),
       "2:38: limits.l.rate: '99999999999999999999/s' is beyond what can be counted"},
      {limit("algorithm: token_bucket, rate: /s, burst: 1"),
       "2:38: limits.l.rate: '/s' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 1/5, burst: 1"),
       "2:38: limits.l.rate: '1/5' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 1/, burst: 1"),
       "2:38: limits.l.rate: '1/' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
      {limit("algorithm: token_bucket, rate: 1/.5s, burst: 1"),
       "2:38: limits.l.rate: '1/.5s' is not a rate; write 100/s, 6000/m, 10/h or 1/3s"},
  });
}

TEST(WrongValue, Variables) {
  expect_mistakes({
      {top("instance: ${NOT_SET}"),
       "1:11: instance: the variable NOT_SET is not set; set it, or write ${NOT_SET:-default}"},
      {top("instance: ${NOT_SET:?name this gate}"),
       "1:11: instance: the variable NOT_SET is not set: name this gate"},
      {top("instance: ${EMPTY:?name this gate}"),
       "1:11: instance: the variable EMPTY is not set: name this gate"},
      {top("instance: |\n  ${EMPTY:?name\n  this gate}"),
       "1:11: instance: the variable EMPTY is not set: name this gate"},
      {top("instance: ${EMPTY}"),
       "1:11: instance: the value (not shown: it comes from a variable) is not a name; write 1 to "
       "249 of the characters a-z A-Z 0-9 . _ -"},
      {top("instance: ${NOT_SET"),
       "1:11: instance: ${ without its }; write ${NAME}, ${NAME:-default} or ${NAME:?message}"},
      {top("instance: ${1A}"),
       "1:11: instance: a ${...} that names no variable; write ${NAME}, ${NAME:-default} or "
       "${NAME:?message}"},
      {top("instance: ${}"),
       "1:11: instance: a ${...} that names no variable; write ${NAME}, ${NAME:-default} or "
       "${NAME:?message}"},
      {top("instance: ${A-b}"),
       "1:11: instance: a ${...} that names no variable; write ${NAME}, ${NAME:-default} or "
       "${NAME:?message}"},
      {top("instance: ${A:+b}"),
       "1:11: instance: a ${...} that names no variable; write ${NAME}, ${NAME:-default} or "
       "${NAME:?message}"},
      {top("instance: ${NOT_SET:-${TEN}}"),
       "1:11: instance: a ${...} within another one, which is not looked into; write ${NAME}, "
       "${NAME:-default} or ${NAME:?message}"},
      {top("instance: ${TEN:-${SECRET}}"),
       "1:11: instance: a ${...} within another one, which is not looked into; write ${NAME}, "
       "${NAME:-default} or ${NAME:?message}"},
      {top("instance: $HOME"),
       "1:11: instance: a lone $; write $$ for a dollar, or ${NAME} for a variable"},
      {top("instance: a$"),
       "1:11: instance: a lone $; write $$ for a dollar, or ${NAME} for a variable"},
      {top("instance: ${LINES}"),
       "1:11: instance: the variable LINES holds more than one line, which is not allowed"},
      {top("drain_timeout: ${SECRET}"),
       "1:16: drain_timeout: the value (not shown: it comes from a variable) is not a duration; "
       "write 1s, 500ms or 2m"},
      {top("shards: ${SECRET}"),
       "1:9: shards: the value (not shown: it comes from a variable) is not a whole number; write "
       "digits only, as 100"},
      {top(R"(log: {level: "${SECRET}"})"),
       "1:14: log.level: the value (not shown: it comes from a variable) is not known here; write "
       "debug, info, warning or error"},
      {top("instance: ${SECRET} b"),
       "1:11: instance: the value (not shown: it comes from a variable) is not a name; write 1 to "
       "249 of the characters a-z A-Z 0-9 . _ -"},
      {top(R"(inside: {bytes: "${TEN}"})"),
       "1:17: inside.bytes: the value (not shown: it comes from a variable) has no unit; write "
       "512KiB, 16MiB or 1GiB"},
      {top(R"(redis: {password: "${NOT_SET}"})"),
       "1:19: redis.password: the variable NOT_SET is not set; set it, or write "
       "${NOT_SET:-default}"},
      {url(R"("${URL_WITH_LOGIN}")"),
       "2:19: targets.t.http.url: the value (not shown: it comes from a variable) has a login in "
       "it; write it under auth, as basic"},
  });
}

}  // namespace
}  // namespace einlass::config
