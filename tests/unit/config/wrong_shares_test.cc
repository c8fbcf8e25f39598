#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

std::string share(const std::string& text) {
  return "shares: {s: " + text + "}\n" +
         routes("[{name: r, topics: [a], target: t, order: key, share: s}]");
}

TEST(WrongShare, ItsOptions) {
  expect_mistakes({
      {share("{}"), ""},
      {share("{by: 'header:tenant', weight: {default: 2, acme: 5, 'free-*': 1000}}"), ""},
      {share("{by: tenant}"),
       "1:18: shares.s.by: 'tenant' is not a key; write none, record_key, topic, partition, "
       "header:NAME or json:/pointer"},
      {share("{bye: 'header:a'}"), "1:14: shares.s.bye: unknown option; did you mean `by`?"},
      {share("{by: record_key, weight: {a: 0, b: 1001, c: x}}"),
       "1:42: shares.s.weight.a: '0' is too small; the smallest value that works is 1\n"
       "1:48: shares.s.weight.b: '1001' is too large; the largest value that works is 1000\n"
       "1:57: shares.s.weight.c: 'x' is not a whole number; write digits only, as 100"},
      {share("{by: record_key, weight: {'a*b': 2}}"),
       "1:39: shares.s.weight.a*b: has a * before its end; a pattern is the beginning of a name "
       "and one *"},
      {share("{weight: {acme: 2}}"),
       "1:22: shares.s.weight: names flows, but without `by` there is but one; write by: "
       "header:NAME"},
  });
}

TEST(WrongShare, ItsLevels) {
  const auto levels = [](const std::string& text) { return share("{levels: " + text + "}"); };
  expect_mistakes({
      {levels("{by: 'header:class', names: [a, b], keep: 50%}"), ""},
      {levels("{}"),
       "1:22: shares.s.levels.by: missing; write by: header:NAME\n"
       "1:22: shares.s.levels.names: missing; write names: [FIRST, SECOND]"},
      {levels("{by: none, names: [a, b]}"),
       "1:27: shares.s.levels.by: 'none' is no level; write header:NAME or json:/field"},
      {levels("{by: 'header:class', names: [a]}"),
       "1:50: shares.s.levels.names: needs two names at least, the first that goes first"},
      {levels("{by: 'header:class', names: [a, a]}"),
       "1:54: shares.s.levels.names[1]: 'a' is written twice; keep one of them"},
      {levels("{by: 'header:class', names: [a, b, c, d], keep: 40%}"),
       "1:70: shares.s.levels.keep: is more than there is: 3 lower levels keep 120% together; "
       "100% is the most"},
      {levels("{by: 'header:class', names: [a, b], keep: 51%}"),
       "1:64: shares.s.levels.keep: '51%' is too large; the largest value that works is 50%"},
  });
}

TEST(WrongShare, OfARoute) {
  const std::string shares = "shares: {tenants: {by: record_key}}\n";
  expect_mistakes({
      {shares + routes("[{name: r, topics: [a], target: t, order: key, share: tenant}]"),
       "3:63: routes[0].share: 'tenant' is no share of this file; did you mean `tenants`?"},
      {shares + routes("[{name: r, topics: [a], target: t, share: tenants}]"),
       "3:51: routes[0].share: divides nothing with order: partition, for there only the first "
       "record of each partition may leave; write order: key or order: none"},
  });
}

// One that the flows of all gates divide.
std::string shared_limit(const std::string& text, const std::string& route = "share: s") {
  return "shares: {s: {by: record_key}, o: {by: topic}}\nlimits: {l: {share: s, " + text + "}}\n" +
         routes("[{name: r, topics: [a], target: t, order: key, limits: [l], " + route + "}]");
}

TEST(WrongShare, OfALimit) {
  const std::string bucket = "algorithm: token_bucket, rate: 100/s, burst: 5";
  expect_mistakes({
      {shared_limit(bucket), ""},
      {shared_limit("algorithm: sliding_log, limit: 100, window: 1s"), ""},
      {shared_limit(bucket + ", key: record_key"),
       "2:21: limits.l.share: divides one bucket among flows, but with a key each key has its own; "
       "leave out key or share"},
      {shared_limit(bucket + ", cost: bytes"),
       "2:21: limits.l.share: divides permits of one cost, but here records bring their own; write "
       "cost: 1, or leave share out"},
      {shared_limit("algorithm: concurrency, limit: 5, lease: 10s"),
       "2:21: limits.l.share: concurrency grants nothing ahead, so that nothing can be left for "
       "other gates; use sliding_log, token_bucket, gcra, smooth or leaky_bucket with mode: queue"},
      {shared_limit(bucket + ", shadow: true"),
       "2:21: limits.l.share: means nothing to a shadow limit, which delays no record; leave it "
       "out"},
      {shared_limit(bucket + ", horizon: 50ms"),
       "2:81: limits.l.horizon: is too short for a share, which leaves to other gates what they "
       "are "
       "yet to ask for; write at least 100ms"},
      {shared_limit("algorithm: leaky_bucket, mode: queue, rate: 100/s, capacity: 10"), ""},
      {shared_limit("algorithm: leaky_bucket, mode: queue, rate: 100/s, capacity: 9"),
       "2:21: limits.l.share: needs permits that are booked at least 100ms ahead, but these "
       "numbers allow 90ms; write a larger capacity"},
      {shared_limit("algorithm: smooth, rate: 100/s, burst: 9, timeout: 100ms"), ""},
      {shared_limit("algorithm: smooth, rate: 100/s, burst: 9, timeout: 20ms, horizon: 200ms"),
       "2:21: limits.l.share: needs permits that are booked at least 100ms ahead, but these "
       "numbers allow 20ms; write a larger timeout"},
      {shared_limit(bucket, "inside: {records: 9}"),
       "4:10: routes[0].share: is not there, but its limit 'l' has share 's', and all who share a "
       "limit need the same; write share: s"},
      {shared_limit(bucket, "share: o"),
       "4:76: routes[0].share: is 'o', but its limit 'l' has share 's', and all who share a limit "
       "need the same; write share: s"},
  });
}

TEST(WrongShare, OfLimitsThatDoNotGoTogether) {
  const auto two = [](const std::string& other) {
    return "shares: {s: {by: record_key}}\nlimits: {l: {share: s, algorithm: token_bucket, rate: "
           "1/s, "
           "burst: 5}, m: {" +
           other + "}}\n" +
           routes("[{name: r, topics: [a], target: t, order: key, limits: [l, m], share: s}]");
  };
  const std::string bucket = "algorithm: token_bucket, rate: 1/s, burst: 5, ";
  const std::string why =
      " ahead, but all gates divide 'l', and what one leaves to others is lost to them if it is "
      "not booked at least 100ms ahead; leave out its share, or take a limit that grants ahead";
  expect_mistakes({
      {two(bucket + "key: record_key"), ""},
      {two("algorithm: concurrency, limit: 5, lease: 10m"),
       "4:68: routes[0].limits[1]: 'm' grants permits 0s" + why},
      {two(bucket + "horizon: 99ms"), "4:68: routes[0].limits[1]: 'm' grants permits 99ms" + why},
      {two("algorithm: smooth, rate: 1/s, burst: 1, timeout: 1s, key: record_key, overrides: {k: "
           "{timeout: 20ms}}"),
       "4:68: routes[0].limits[1]: 'm' for key 'k' grants permits 20ms" + why},
      {two(bucket + "share: s"),
       "4:68: routes[0].limits[1]: 'm' has a share, but 'l' has one too; one limit of a route may "
       "have one"},
      {two(bucket + "cost: bytes"),
       "4:68: routes[0].limits[1]: 'm' does not go together with 'l': where a limit has a share no "
       "other may take its cost from the record"},
  });
}

}  // namespace
}  // namespace einlass::config
