#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

TEST(WrongLimit, AlgorithmAndParameters) {
  expect_mistakes({
      {top("limits: [l]"), "1:9: limits: expected a section, not a list"},
      {top("limits: {l: }"),
       "1:13: limits.l.algorithm: missing; write sliding_log or token_bucket"},
      {top("limits: {l: a}"), "1:13: limits.l: expected a section, not one value"},
      {top("limits: {'a b': {algorithm: sliding_log, limit: 1, window: 1s}}"),
       "1:10: limits.a b: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ -"},
      {limit("limit: 1, window: 1s"),
       "2:6: limits.l.algorithm: missing; write sliding_log or token_bucket"},
      {limit("algorithm: fixed_window, limit: 1, window: 1s, align: epoch"),
       "2:18: limits.l.algorithm: 'fixed_window' is not in this version; use sliding_log or "
       "token_bucket"},
      {limit("algorithm: concurrency, limit: 5"),
       "2:18: limits.l.algorithm: 'concurrency' is not in this version; use sliding_log or "
       "token_bucket"},
      {limit("algorithm: sliding_logs, limit: 1, window: 1s"),
       "2:18: limits.l.algorithm: 'sliding_logs' is not known here; did you mean `sliding_log`?"},
      {limit("algorithm: gcra"),
       "2:18: limits.l.algorithm: 'gcra' is not known here; write sliding_log or token_bucket"},
      {limit("algoritm: sliding_log, limit: 1, window: 1s"),
       "2:7: limits.l.algoritm: unknown option; did you mean `algorithm`?"},
      {limit("algorithm: sliding_log"),
       "2:6: limits.l.limit: missing; write limit: 100\n2:6: limits.l.window: missing; write "
       "window: 1s"},
      {limit("algorithm: token_bucket"),
       "2:6: limits.l.rate: missing; write rate: 100/s\n2:6: limits.l.burst: missing; write burst: "
       "100"},
      {limit("algorithm: sliding_log, limit: 1, window: 1s, burst: 2"),
       "2:60: limits.l.burst: belongs to token_bucket; sliding_log takes limit and window"},
      {limit("algorithm: token_bucket, rate: 1/s, burst: 1, window: 2s"),
       "2:61: limits.l.window: belongs to sliding_log; token_bucket takes rate and burst"},
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

TEST(WrongLimit, TheRest) {
  expect_mistakes({
      {log_limit("cost: 11"),
       "2:60: limits.l.cost: '11' is more than limit (10), so nothing would ever be delivered"},
      {log_limit("cost: 0"),
       "2:60: limits.l.cost: '0' is too small; the smallest value that works is 1"},
      {log_limit("cost: bytes"),
       "2:60: limits.l.cost: 'bytes' is not in this version; write a whole number, as 1"},
      {log_limit("cost: 'header:cost'"),
       "2:60: limits.l.cost: 'header:cost' is not in this version; write a whole number, as 1"},
      {log_limit("cost: half"),
       "2:60: limits.l.cost: 'half' is not a whole number; write digits only, as 100"},
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
       "2:65: limits.l.on_outage: 'pass' is not in this version; write hold, or leave it out"},
      {log_limit("on_outage: drop"),
       "2:65: limits.l.on_outage: 'drop' is not known here; write hold"},
      {limit("algorithm: token_bucket, rate: 1/s, burst: 4, cost: 5"),
       "2:59: limits.l.cost: '5' is more than burst (4), so nothing would ever be delivered"},
      {limit("algorithm: sliding_log, limit: 20000, window: 1s, cost: 5000"),
       "2:63: limits.l.cost: cost 5000 is too much for a sliding log, which keeps an entry for "
       "each unit; the most is 1000, a token_bucket has no such bound"},
  });
}

}  // namespace
}  // namespace einlass::config
