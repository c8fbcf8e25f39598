#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

// Those that the page of the options names, as a sentence.
std::string known_algorithms() {
  const std::vector<std::string_view>& names = algorithms_of_the_options();
  std::string sentence(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) {
    sentence.append(i + 1 < names.size() ? ", " : " or ").append(names[i]);
  }
  return sentence;
}

TEST(WrongLimit, AlgorithmAndParameters) {
  const std::string known = known_algorithms();
  expect_mistakes({
      {top("limits: [l]"), "1:9: limits: expected a section, not a list"},
      {top("limits: {l: }"), "1:13: limits.l.algorithm: missing; write " + known},
      {top("limits: {l: a}"), "1:13: limits.l: expected a section, not one value"},
      {top("limits: {'a b': {algorithm: sliding_log, limit: 1, window: 1s}}"),
       "1:10: limits.a b: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ -"},
      {limit("limit: 1, window: 1s"), "2:6: limits.l.algorithm: missing; write " + known},
      {limit("algorithm: sliding_logs, limit: 1, window: 1s"),
       "2:18: limits.l.algorithm: 'sliding_logs' is not known here; did you mean `sliding_log`?"},
      {limit("algorithm: adaptive"),
       "2:18: limits.l.algorithm: 'adaptive' is not known here; write " + known},
      {limit("algoritm: sliding_log, limit: 1, window: 1s"),
       "2:7: limits.l.algoritm: unknown option; did you mean `algorithm`?"},
      {limit("algorithm: sliding_log"),
       "2:6: limits.l.limit: missing; write limit: 100\n2:6: limits.l.window: missing; write "
       "window: 1s"},
      {limit("algorithm: token_bucket"),
       "2:6: limits.l.rate: missing; write rate: 100/s\n2:6: limits.l.burst: missing; write burst: "
       "100"},
      {limit("algorithm: leaky_bucket, rate: 1/s, capacity: 1, burst: 2"),
       "2:63: limits.l.burst: means nothing to leaky_bucket, which takes rate, capacity and mode"},
      {limit("algorithm: counter, limit: 5, window: 1s, burst: 6"),
       "2:56: limits.l.burst: burst is 6; it must be from 1 to the limit of 5"},
      {limit("algorithm: fixed_window, limit: 5, window: 1s, burst: 2, cost: 3"),
       "2:70: limits.l.cost: cost 3 is more than the burst of 2, so no record could ever pass; "
       "lower the cost or raise the burst"},
      {limit("algorithm: sliding_window, limit: 5, window: 1s, burst: 2, cost: bytes"),
       "2:63: limits.l.burst: keeps an entry for each unit of cost, which is too much for each "
       "byte; leave it out, or use token_bucket"},
      {limit("algorithm: counter, limit: 1000000, window: 1us, burst: 2"),
       "2:63: limits.l.burst: bounds nothing here, for so many permits come in less than a "
       "microsecond; leave it out"},
      {limit("algorithm: sliding_log, limit: 5, window: 1s, burst: 6"),
       "2:60: limits.l.burst: burst is 6; it must be from 1 to the limit of 5"},
      {limit("algorithm: sliding_log, limit: 5, window: 1s, burst: 2, cost: 3"),
       "2:69: limits.l.cost: cost 3 is more than the burst of 2, so no record could ever pass; "
       "lower "
       "the cost or raise the burst"},
      {limit("algorithm: sliding_log, limit: 5, window: 1s, even: 0%, burst: 2"),
       "2:70: limits.l.burst: burst means nothing with even: 0%, which spreads nothing; give even "
       "a "
       "part of the window"},
      {limit("algorithm: sliding_log, limit: 5, window: 1s, even: 96%"),
       "2:59: limits.l.even: '96%' is too large; the largest value that works is 95%"},
      {limit("algorithm: sliding_log, limit: 5, window: 1s, even: half"),
       "2:59: limits.l.even: 'half' is not a share; write 20% or 100%"},
      {limit("algorithm: token_bucket, rate: 1/s, burst: 1, window: 2s"),
       "2:61: limits.l.window: means nothing to token_bucket, which takes rate, burst and start"},
      {limit("algorithm: sliding_log, limit: 0, window: 1s"),
       "2:38: limits.l.limit: '0' is too small; the smallest value that works is 1"},
      {limit("algorithm: sliding_log, limit: 2000000000, window: 1s"),
       "2:38: limits.l.limit: '2000000000' is too large; the largest value that works is 10000000"},
      {limit("algorithm: sliding_log, limit: 20000000, window: 1s"),
       "2:38: limits.l.limit: '20000000' is too large; the largest value that works is 10000000"},
      {limit("algorithm: sliding_log, limit: 1, window: 0"),
       "2:49: limits.l.window: '0' is too small; the smallest value that works is 1us"},
      {limit("algorithm: sliding_log, limit: 1, window: 400d"),
       "2:49: limits.l.window: '400d' is too large; the largest value that works is 366d"},
      {limit("algorithm: sliding_log, limit: 1, windw: 1s"),
       "2:41: limits.l.windw: unknown option; did you mean `window`?"},
      {limit("algorithm: token_bucket, rate: 1/365d, burst: 1000000"),
       "2:53: limits.l.burst: burst 1000000 cannot be counted exactly at a rate of 1 per "
       "31536000000000us; the most is 285"},
  });
}

TEST(WrongLimit, ParametersOfTheOthers) {
  expect_mistakes({
      {limit("algorithm: fixed_window, limit: 1, window: 1s, align: keys, slices: 3"),
       "2:61: limits.l.align: 'keys' is not known here; did you mean `key`?\n"
       "2:75: limits.l.slices: means nothing to fixed_window, which takes limit, window, align and "
       "burst"},
      {limit("algorithm: counter, limit: 1, window: 1s, align: key"),
       "2:56: limits.l.align: means nothing to counter, which takes limit, window and burst"},
      {limit("algorithm: sliding_window, limit: 1, window: 1s, slices: 1001, log: all"),
       "2:64: limits.l.slices: '1001' is too large; the largest value that works is 1000\n"
       "2:75: limits.l.log: 'all' is not known here; write none or newest"},
      {limit("algorithm: leaky_bucket, rate: 1/s, burst: 5, mode: queues"),
       "2:6: limits.l.capacity: missing; write capacity: 100\n"
       "2:50: limits.l.burst: means nothing to leaky_bucket, which takes rate, capacity and mode\n"
       "2:59: limits.l.mode: 'queues' is not known here; did you mean `queue`?"},
      {limit("algorithm: smooth, rate: 1/s"), "2:6: limits.l.burst: missing; write burst: 100"},
      {limit("algorithm: smooth, rate: 1/s, burst: 1, timeout: 2h, pay: later"),
       "2:56: limits.l.timeout: '2h' is too large; the largest value that works is 1h\n"
       "2:65: limits.l.pay: 'later' is not known here; write now or next"},
      {limit("algorithm: smooth, rate: 1/s, warm_up: 5s, burst: 1"),
       "2:57: limits.l.burst: means nothing with warm_up, which says how many permits a quiet time "
       "is worth; leave it out"},
      {limit("algorithm: smooth, rate: 1/s, warm_up: 5s, pay: now"),
       "2:55: limits.l.pay: a limit that warms up is paid by who comes next; write next, or leave "
       "it "
       "out"},
      {limit("algorithm: smooth, rate: 100000000/s, warm_up: 366d"),
       "2:54: limits.l.warm_up: warm_up 31622400000000us cannot be counted exactly at a rate of "
       "100 "
       "per 1us; the most is 2814749767106us"},
      {limit("algorithm: concurrency, limit: 5"), "2:6: limits.l.lease: missing; write lease: 30s"},
      {limit("algorithm: concurrency, limit: 5, lease: 1s, window: 1s"),
       "2:60: limits.l.window: means nothing to concurrency, which takes limit and lease"},
  });
}

TEST(WrongLimit, WhatIsReadFromTheRecord) {
  expect_mistakes({
      {log_limit("default_cost: 2"),
       "2:68: limits.l.default_cost: is for records whose cost cannot be read, but here all cost "
       "the "
       "same; leave it out"},
      {log_limit("cost: 'header:w', default_cost: 11"),
       "2:86: limits.l.default_cost: cost 11 is more than the limit of 10, so no record could ever "
       "pass; lower the cost or raise the limit"},
      {log_limit("bad_key: dead_letter"),
       "2:63: limits.l.bad_key: means nothing here, where neither key nor cost is read from the "
       "record; leave it out"},
      {log_limit("bad_key: drop"),
       "2:63: limits.l.bad_key: 'drop' is not known here; write default or dead_letter"},
      {log_limit("spread: true, store: redis"),
       "2:62: limits.l.spread: one bucket for all records cannot be spread; write key, or leave it "
       "out"},
      {log_limit("spread: true, key: topic"),
       "2:62: limits.l.spread: means nothing in store memory; write store: redis, or leave it out"},
      {log_limit("spread: yes, key: topic"),
       "2:62: limits.l.spread: 'yes' is not true or false; write true"},
  });
}

TEST(WrongLimit, TheRest) {
  expect_mistakes({
      {log_limit("cost: 11"),
       "2:60: limits.l.cost: cost 11 is more than the limit of 10, so no record could ever pass; "
       "lower the cost or raise the limit"},
      {log_limit("cost: 0"),
       "2:60: limits.l.cost: '0' is too small; the smallest value that works is 1"},
      {log_limit("cost: half"),
       "2:60: limits.l.cost: 'half' is not a cost; write a whole number, header:NAME, "
       "json:/pointer "
       "or bytes"},
      {log_limit("cost: byte"), "2:60: limits.l.cost: 'byte' is not a cost; did you mean `bytes`?"},
      {log_limit("cost: 1.5"),
       "2:60: limits.l.cost: '1.5' is not a whole number; write digits only, as 100"},
      {log_limit("cost: 'header:'"),
       "2:60: limits.l.cost: 'header:' names no header; write header:NAME"},
      {log_limit("cost: 'json:weight'"),
       "2:60: limits.l.cost: 'json:weight' is not a JSON pointer; write json:/field, or "
       "json:/outer/inner"},
      {log_limit("cost: bytes"),
       "2:60: limits.l.cost: sliding_log keeps an entry for each unit of cost, which is too much "
       "for each byte; use token_bucket or counter"},
      {log_limit("store: rediss"),
       "2:61: limits.l.store: 'rediss' is not known here; did you mean `redis`?"},
      {log_limit("store: disk"),
       "2:61: limits.l.store: 'disk' is not known here; write memory or redis"},
      {log_limit("key: tenant"),
       "2:59: limits.l.key: 'tenant' is not a key; write none, record_key, topic, partition, "
       "header:NAME or json:/pointer"},
      {log_limit("key: 'header:'"),
       "2:59: limits.l.key: 'header:' names no header; write header:NAME"},
      {log_limit("key: 'json:tenant'"),
       "2:59: limits.l.key: 'json:tenant' is not a JSON pointer; write json:/field, or "
       "json:/outer/inner"},
      {log_limit("key: 'json:/a~2'"),
       "2:59: limits.l.key: 'json:/a~2' is not a JSON pointer; write json:/field, or "
       "json:/outer/inner"},
      {log_limit("key: recordkey"),
       "2:59: limits.l.key: 'recordkey' is not a key; did you mean `record_key`?"},
      {log_limit("horizon: 2h"),
       "2:63: limits.l.horizon: '2h' is too large; the largest value that works is 1h"},
      {log_limit("use_within: 0"),
       "2:66: limits.l.use_within: '0' is too small; the smallest value that works is 1us"},
      {log_limit("on_outage: pass"),
       "2:65: limits.l.on_outage: means nothing in store memory, which has no outages; write hold, "
       "or store: redis"},
      {log_limit("on_outage: local_share, store: redis"),
       "2:65: limits.l.on_outage: this gate's share cannot be computed without the number of "
       "gates; write instances: N at the top"},
      {"instances: x\n" + log_limit("on_outage: local_share, store: redis"),
       "1:12: instances: 'x' is not a whole number; write digits only, as 100"},
      {"instances: 3\n" + log_limit("on_outage: local_share, store: redis, burst: 10, cost: 4"),
       "3:65: limits.l.on_outage: the share of one of the instances has a burst of less than a "
       "record costs; write a burst of at least 12"},
      {log_limit("on_outage: drop"),
       "2:65: limits.l.on_outage: 'drop' is not known here; write hold, pass or local_share"},
      {limit("algorithm: token_bucket, rate: 1/s, burst: 4, cost: 5"),
       "2:59: limits.l.cost: cost 5 is more than the burst of 4, so no record could ever pass; "
       "lower "
       "the cost or raise the burst"},
      {limit("algorithm: sliding_log, limit: 20000, window: 1s, cost: 5000"),
       "2:63: limits.l.cost: cost 5000 is too much for a sliding log, which keeps an entry for "
       "each unit; the most is 1000, a token_bucket has no such bound"},
  });
}

}  // namespace
}  // namespace einlass::config
