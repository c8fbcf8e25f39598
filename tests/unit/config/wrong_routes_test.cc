#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

TEST(WrongRoute, Shape) {
  expect_mistakes({
      {kTargets, "1:1: routes: missing; write at least one, with name, topics and target"},
      {routes("[]"), "2:9: routes: no route; write at least one"},
      {routes("{a: b}"), "2:9: routes: expected a list, not a section"},
      {routes("[a]"), "2:10: routes[0]: expected a section, not one value"},
      {routes("[{}]"),
       "2:10: routes[0].name: missing; write name: NAME\n2:10: routes[0].topics: missing; write "
       "topics: [TOPIC]\n2:10: routes[0].target: missing; write target: NAME"},
      {routes("[~]"),
       "2:10: routes[0].name: missing; write name: NAME\n2:10: routes[0].topics: missing; write "
       "topics: [TOPIC]\n2:10: routes[0].target: missing; write target: NAME"},
      {routes("[{name: r, topics: a, target: t}]"),
       "2:28: routes[0].topics: expected a list, not one value; put it into [ ]"},
      {routes("[{name: r, topics: [], target: t}]"),
       "2:28: routes[0].topics: no topic, and no other route has this one as its else; write at "
       "least one"},
      {routes("[{name: r, topics: ['a b'], target: t}]"),
       "2:29: routes[0].topics[0]: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z "
       "0-9 . _ -"},
      {routes("[{name: r, topics: ['a.*'], target: t}]"),
       "2:29: routes[0].topics[0]: 'a.*' is not a name; write 1 to 249 of the characters a-z A-Z "
       "0-9 . _ -"},
      {routes("[{name: r, topics: [a, b, a], target: t}]"),
       "2:35: routes[0].topics[2]: 'a' is written twice; keep one of them"},
      {routes("\n  - {name: r, topics: [a], target: t}\n  - {name: s, topics: [b, a], target: t}"),
       "4:27: routes[1].topics[1]: 'a' is read by routes[0] already; a topic belongs to one route"},
      {routes("\n  - {name: r, topics: [a], target: t}\n  - {name: r, topics: [b], target: t}"),
       "4:12: routes[1].name: 'r' is another route's name already"},
      {routes("[{name: r, topics: [a], target: u}]"),
       "2:41: routes[0].target: 'u' is no target of this file; there is t"},
      {"targets: {billing: {http: {url: http://h/}}}\nroutes: [{name: r, topics: [a], target: "
       "biling}]\n",
       "2:41: routes[0].target: 'biling' is no target of this file; did you mean `billing`?"},
      {routes("[{name: 'a b', topics: [a], target: t}]"),
       "2:17: routes[0].name: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . "
       "_ -"},
      {routes("[{name: r, topics: [..], target: t}]"),
       "2:29: routes[0].topics[0]: '..' is not a name; write 1 to 249 of the characters a-z A-Z "
       "0-9 . _ -"},
  });
}

TEST(WrongRoute, Filter) {
  const auto filter = [](const std::string& text) {
    return routes("\n- name: r\n  topics: [a]\n  target: t\n  filter:\n  - " + text);
  };
  const std::string where = "7:5: routes[0].filter[0]";
  expect_mistakes({
      {filter("{by: 'header:status', equals: paid}\n  - {by: 'json:/a', exists: false}"), ""},
      {filter("{by: record_key, in: [a, b]}\n  - {by: topic, not_in: [c]}"), ""},
      {routes("[{name: r, topics: [a], target: t, filter: []}]"),
       "2:52: routes[0].filter: no condition; write at least one, or leave filter out"},
      {filter("{equals: paid}"), where + ".by: missing; write by: header:NAME"},
      {filter("{by: status, equals: paid}"),
       "7:10: routes[0].filter[0].by: 'status' is not a key; write none, record_key, topic, "
       "partition, header:NAME or json:/pointer"},
      {filter("{by: none, equals: paid}"),
       "7:10: routes[0].filter[0].by: 'none' is no field; write header:NAME or json:/field"},
      {filter("{by: topic}"),
       "7:10: routes[0].filter[0].by: says where to look and not what for; write one of equals, "
       "in, not_in or exists"},
      {filter("{by: topic, equals: a, in: [b]}"),
       "7:10: routes[0].filter[0].by: is tested in several ways; write one of equals, in, not_in "
       "or exists, and another condition for each other one"},
      {filter("{by: topic, in: []}"), "7:21: routes[0].filter[0].in: no value; write at least one"},
      {filter("{by: topic, in: [a, b, a]}"),
       "7:28: routes[0].filter[0].in[2]: 'a' is written twice; keep one of them"},
      {filter("{by: topic, equal: a}"),
       "7:10: routes[0].filter[0].by: says where to look and not what for; write one of equals, "
       "in, not_in or exists\n"
       "7:17: routes[0].filter[0].equal: unknown option; did you mean `equals`?"},
  });
}

TEST(WrongRoute, Times) {
  const auto times = [](const std::string& text) {
    return routes("\n- name: r\n  topics: [a]\n  target: t\n  dead_letter: d\n  " + text);
  };
  expect_mistakes({
      {times("not_before: header:a\n  expires: json:/a/b"), ""},
      {times("not_before: record_key"),
       "7:15: routes[0].not_before: 'record_key' is no field of a record; write header:NAME or "
       "json:/pointer"},
      {times("expires: 5m"),
       "7:12: routes[0].expires: '5m' is no field of a record; write header:NAME or json:/pointer"},
      {times("expires: 'json:a'"),
       "7:12: routes[0].expires: 'json:a' is not a JSON pointer; write json:/field, or "
       "json:/outer/inner"},
      {routes("[{name: r, topics: [a], target: t, not_before: 'header:a', expires: 'header:b'}]"),
       "2:56: routes[0].not_before: makes dead letters, of records that come too late or whose "
       "time "
       "cannot be read; write dead_letter: TOPIC\n"
       "2:77: routes[0].expires: makes dead letters, of records that come too late or whose time "
       "cannot be read; write dead_letter: TOPIC"},
  });
}

// Three routes, each with that in it.
std::string three(const std::string& a, const std::string& b, const std::string& c,
                  const std::string& more_targets = "") {
  return "targets: {t: {http: {url: 'http://h/'}}" + more_targets +
         "}\nroutes:\n- {name: a, topics: [a], " + a + "}\n- {name: b, topics: [b], " + b +
         "}\n- {name: c, topics: [c], " + c + "}\n";
}

TEST(WrongRoute, Else) {
  const std::string plain = "target: t";
  const std::string some = "target: t, filter: [{by: topic, equals: x}], ";
  expect_mistakes({
      {three(some + "else: c", plain, some + "else: b"), ""},
      {routes("\n- {name: a, topics: [a], target: t, filter: [{by: topic, equals: x}], else: b}"
              "\n- {name: b, topics: [], target: t}"),
       ""},
      {three(some + "else: d", plain, plain), "3:77: routes[0].else: 'd' is no route of this file"},
      {three(some + "else: a", plain, plain),
       "3:77: routes[0].else: is the route itself; name another one"},
      {three("target: t, else: b", plain, plain),
       "3:43: routes[0].else: gets nothing without a filter here; write filter, or leave else out"},
      {three(some + "else: b", some + "else: c", some + "else: a"),
       "3:77: routes[0].else: its records would go round forever: routes[0] -> routes[1] -> "
       "routes[2] -> routes[0]"},
      {three(some + "else: b", plain + ", dead_letter: a", plain),
       "3:77: routes[0].else: its records would go round forever: routes[0] -> routes[1] -> a -> "
       "routes[0]"},
      {three(some + "else: b", "target: k", plain, ", k: {kafka: {topic: a}}"),
       "3:77: routes[0].else: its records would go round forever: routes[0] -> routes[1] -> a -> "
       "routes[0]"},
      {three(some + "else: b", "target: k", plain, ", k: {kafka: {topic: x, exactly_once: true}}"),
       "3:77: routes[0].else: does not go together with exactly_once: a transaction has the "
       "offsets of whole partitions, so all of their records have to go to its target"},
  });
}

TEST(WrongRoute, PatternsOfTopics) {
  const auto pattern = [](const std::string& text) {
    return routes("[{name: r, topics: ['" + text + "'], target: t}]");
  };
  const std::string where = "2:29: routes[0].topics[0]: ";
  expect_mistakes({
      {pattern("^a.*"), ""},
      {pattern("^results\\.[a-z]+$$"), ""},
      {routes("[{name: r, topics: [^a, ^a, a], target: t}]"),
       "2:33: routes[0].topics[1]: '^a' is written twice; keep one of them"},
      {routes("\n  - {name: r, topics: [^a], target: t}\n  - {name: s, topics: [^a], target: t}"),
       "4:24: routes[1].topics[0]: '^a' is read by routes[0] already; a topic belongs to one "
       "route"},
      {pattern("^a("), where + "'^a(' is no regular expression (Unmatched ( or \\()"},
      {pattern("^a[b"), where + "'^a[b' is no regular expression (Unmatched [, [^, [:, [., or [=)"},
      {pattern("^a{3}"),
       where + "'^a{3}' holds { or a reference as \\1, which patterns of topics cannot; write the "
               "part out"},
      {pattern("^(a)\\1"),
       where +
           "'^(a)\\1' holds { or a reference as \\1, which patterns of topics cannot; write the "
           "part out"},
      {pattern("^" + std::string(249, 'a')),
       where + "'^" + std::string(59, 'a') + "...' is longer than 249 characters"},
      // What it would read of the route's own dead letters is left out, so that they may fit.
      {routes("[{name: r, topics: [^a], target: t, dead_letter: a.dead}]"), ""},
  });
}

TEST(WrongRoute, RecordsThatWouldGoRound) {
  const auto of = [](const std::string& routes) {
    return "kafka: {brokers: [h:1, i:1]}\n"
           "targets: {a: {kafka: {topic: a}}, b: {kafka: {topic: b, brokers: [i:1, h:1]}}, "
           "c: {kafka: {topic: c, brokers: [j:1]}}, h: {http: {url: http://h/}}}\n"
           "routes: " +
           routes + "\n";
  };
  expect_mistakes({
      {of("[{name: r, topics: [a], target: b}]"), ""},
      {of("[{name: r, topics: [x, a], target: a}]"),
       "3:44: routes[0].target: writes to 'a', which this route reads, so records would go round "
       "forever"},
      {of("[{name: r, topics: [a], target: b}, {name: s, topics: [b], target: a}]"),
       "3:41: routes[0].target: its records would go round forever: routes[0] -> b -> routes[1] "
       "-> a -> routes[0]"},
      {of("[{name: h, topics: [h], target: a}, {name: r, topics: [a], target: b}, "
          "{name: s, topics: [b], target: a}]"),
       "3:76: routes[1].target: its records would go round forever: routes[1] -> b -> routes[2] "
       "-> a -> routes[1]"},
      // Another cluster's topic of that name, an end, and patterns, which leave it out.
      {of("[{name: r, topics: [c], target: b}, {name: s, topics: [b], target: c}]"), ""},
      {of("[{name: r, topics: [a], target: b}, {name: s, topics: [b], target: h}]"), ""},
      {of("[{name: r, topics: [a], target: b}, {name: s, topics: [^b], target: a}]"), ""},
  });
}

// Two lists of brokers with one of them in common lead to one cluster.
TEST(WrongRoute, WritesToItsOwnTopicByOtherBrokersOfTheCluster) {
  const auto of = [](const std::string& brokers) {
    return "kafka: {brokers: [a, B:9092]}\n" +
           targets("{t: {kafka: {topic: a, brokers: [" + brokers + "]}}}");
  };
  const std::string refused =
      "3:41: routes[0].target: writes to 'a', which this route reads, so records would go round "
      "forever";
  expect_mistakes({
      {of("a"), refused},
      {of("b"), refused},
      {of("c, b"), refused},
      {of("'a:9093', c"), ""},
  });
}

// A record that fails in both would go round, each time with attempts of its own.
TEST(WrongRoute, RoundsThroughDeadLetters) {
  const std::string plain = "target: t", some = "filter: [{by: topic, equals: x}], ";
  const std::string to_a = ", k: {kafka: {topic: a}}";
  expect_mistakes({
      {three(plain + ", dead_letter: b", plain + ", dead_letter: a", plain),
       "3:50: routes[0].dead_letter: its records would go round forever: routes[0] -> b -> "
       "routes[1] -> a -> routes[0]"},
      {three(plain, plain + ", dead_letter: c", "target: k, dead_letter: b", to_a),
       "4:50: routes[1].dead_letter: its records would go round forever: routes[1] -> c -> "
       "routes[2] -> b -> routes[1]"},
      {three(plain + ", dead_letter: b", "target: k", plain, to_a),
       "3:50: routes[0].dead_letter: its records would go round forever: routes[0] -> b -> "
       "routes[1] -> a -> routes[0]"},
      {three(plain + ", dead_letter: b", plain + ", " + some + "else: c",
             plain + ", dead_letter: a"),
       "3:50: routes[0].dead_letter: its records would go round forever: routes[0] -> b -> "
       "routes[1] -> routes[2] -> a -> routes[0]"},
      // Of these none leads back: a second chance, and the end of all that fails.
      {three(plain + ", dead_letter: b", plain + ", dead_letter: c", plain), ""},
      {three(plain + ", dead_letter: c", plain + ", dead_letter: c", plain + ", dead_letter: d"),
       ""},
  });
}

TEST(WrongRoute, TheRest) {
  expect_mistakes({
      {route("limits: [n]"),
       "4:48: routes[0].limits[0]: 'n' is no limit of this file; there is l or m"},
      {route("limits: l"),
       "4:47: routes[0].limits: expected a list, not one value; put it into [ ]"},
      {route("limits: [l, l]"),
       "4:51: routes[0].limits[1]: 'l' is written twice; keep one of them"},
      {route("limits: [l, m]"),
       "4:51: routes[0].limits[1]: 'm' is in store redis, but 'l' is in memory; the limits of a "
       "route are asked all or nothing in one call, so they must be in one store"},
      {route("limits: [a, b, c, d, e, f, g, h, i]"),
       "4:47: routes[0].limits: 9 items; the most that works is 8"},
      {route("order: key_hash"),
       "4:46: routes[0].order: 'key_hash' is not known here; write partition, key or none"},
      {route("order: keys"),
       "4:46: routes[0].order: 'keys' is not known here; did you mean `key`?"},
      {route("retry: {attempts: 5}"),
       "4:57: routes[0].retry.attempts: after these a record needs somewhere to go, for nothing is "
       "thrown away; write dead_letter: TOPIC, or attempts: 0"},
      {route("retry: {attempts: -5}"),
       "4:57: routes[0].retry.attempts: '-5' is not a whole number; write digits only, as 100"},
      {route("retry: {attempts: 5000000}, dead_letter: d"),
       "4:57: routes[0].retry.attempts: '5000000' is too large; the largest value that works is "
       "1000000"},
      {route("retry: {initial: 1m}"),
       "4:56: routes[0].retry.initial: initial (1m) is longer than max (30s)"},
      {route("retry: {max: 100ms}"),
       "4:52: routes[0].retry.max: initial (200ms) is longer than max (100ms)"},
      {route("retry: {initial: 0}"),
       "4:56: routes[0].retry.initial: '0' is too small; the smallest value that works is 1ms"},
      {route("retry: 5"), "4:46: routes[0].retry: expected a section, not one value"},
      {route("retry: {budget: 5%}"),
       "4:47: routes[0].retry.budget: unknown option; known here: initial, max or attempts"},
      {route("retry: {backoff: 5}"),
       "4:47: routes[0].retry.backoff: unknown option; known here: initial, max or attempts"},
      {route("dead_letter: a"),
       "4:52: routes[0].dead_letter: 'a' is one of the route's own topics, so records would go "
       "round forever"},
      {route("dead_letter: a b"),
       "4:52: routes[0].dead_letter: 'a b' is not a name; write 1 to 249 of the characters a-z A-Z "
       "0-9 . _ -"},
      {route("dead_letter: ''"),
       "4:52: routes[0].dead_letter: '' is not a name; write 1 to 249 of the characters a-z A-Z "
       "0-9 . _ -"},
      {route("inside: {records: 0}"),
       "4:57: routes[0].inside.records: '0' is too small; the smallest value that works is 1"},
      {route("inside: {bytes: 1B}"),
       "4:55: routes[0].inside.bytes: '1B' is too small; the smallest value that works is 1KiB"},
      {route("inside: 5"), "4:47: routes[0].inside: expected a section, not one value"},
      {route("dead_leter: d"),
       "4:39: routes[0].dead_leter: unknown option; did you mean `dead_letter`?"},
      {"limits: {l: {algorithm: sliding_log, limit: 1, window: 1 sec, store: redis}, m: "
       "{algorithm: sliding_log, limit: 1, window: 1s}}\ntargets: {t: {http: {url: "
       "http://h/}}}\nroutes: [{name: r, topics: [a], target: t, limits: [l, m]}]\n",
       "1:56: limits.l.window: '1 sec' is not a duration; write 1s, 500ms or 2m"},
      {top("instance: &x yes\nkafka: {group: *x}"),
       "1:11: instance: 'yes' without quotes is a truth to some YAML readers; put quotes around "
       "the text\n1:11: kafka.group: 'yes' without quotes is a truth to some YAML readers; put "
       "quotes around the text"},
  });
}

// A file whose limits `a` and `b` are in Redis, with these options, and one route under both.
std::string two(const std::string& a, const std::string& b, const std::string& more = "") {
  const std::string log = "{algorithm: sliding_log, limit: 10, window: 1s, store: redis, ";
  return "limits:\n  a: " + log + a + "}\n  b: " + log + b + "}\n" + kTargets +
         "routes: [{name: r, topics: [x], target: t, limits: [a, b]" + more + "}]\n";
}

TEST(WrongRoute, LimitsThatDoNotGoTogether) {
  expect_mistakes({
      {two("spread: true, key: topic", "shadow: true, cost: 'header:x'"), ""},
      {two("shadow: true, key: topic", "shadow: true, spread: true, key: partition"), ""},
      {two("spread: true, key: topic", "spread: true, key: topic"), ""},
      {two("spread: true, key: topic", "key: topic"),
       "5:56: routes[0].limits[1]: 'b' is not spread, but 'a' is spread by topic; the limits of a "
       "route are asked in one call, so all must be spread by the same key, or none"},
      {two("key: topic", "spread: true, key: topic"),
       "5:56: routes[0].limits[1]: 'b' is spread by topic, but 'a' is not spread; the limits of a "
       "route are asked in one call, so all must be spread by the same key, or none"},
      {two("spread: true, key: 'header:x'", "spread: true, key: 'header:y'"),
       "5:56: routes[0].limits[1]: 'b' is spread by header:y, but 'a' is spread by header:x; the "
       "limits of a route are asked in one call, so all must be spread by the same key, or none"},
      {two("cost: 'header:x'", "cost: 'header:x'"), ""},
      {two("cost: 'header:x'", "cost: 2"), ""},
      {two("cost: 'header:x'", "cost: 'json:/x'"),
       "5:56: routes[0].limits[1]: 'b' takes its cost from json:/x, but 'a' takes its cost from "
       "header:x; one route has one cost from the record"},
      {two("cost: 'header:x'", "cost: 'header:x', default_cost: 2"),
       "5:56: routes[0].limits[1]: 'b' has default_cost 2, but 'a' has default_cost 1; one route "
       "has "
       "one cost from the record"},
      {two("key: record_key", "key: record_key, bad_key: dead_letter"),
       "5:56: routes[0].limits[1]: 'b' has bad_key: dead_letter, but the route has no dead_letter; "
       "write dead_letter: TOPIC"},
      {two("key: record_key", "key: record_key, bad_key: dead_letter", ", dead_letter: d"), ""},
  });
}

TEST(WrongRoute, ALeaseThatEndsBeforeTheAttempt) {
  const auto lease = [](const std::string& options) {
    return "limits: {l: {algorithm: concurrency, limit: 5, " + options + "}}\n" +
           "targets: {t: {http: {url: http://h/, timeout: 10s}}}\n" +
           "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n";
  };
  const auto at_kafka = [](const std::string& options) {
    return "limits: {l: {algorithm: concurrency, limit: 5, " + options + "}}\n" +
           "targets: {t: {kafka: {topic: x, timeout: 10s}}}\n" +
           "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n";
  };
  expect_mistakes({
      {lease("lease: 10100ms"), ""},
      {lease("lease: 10099ms"),
       "3:53: routes[0].limits[0]: 'l' has a lease of 10099ms, so its permits would come back "
       "while "
       "attempts run; the shortest that works is 10100ms, the timeout of target 't' and "
       "use_within together"},
      {lease("lease: 10600ms, store: redis"), ""},
      {lease("lease: 10599ms, store: redis"),
       "3:53: routes[0].limits[0]: 'l' has a lease of 10599ms, so its permits would come back "
       "while attempts run; the shortest that works is 10600ms, the timeout of target 't', "
       "use_within and redis.timeout together"},
      {at_kafka("lease: 22100ms"), ""},
      {at_kafka("lease: 10100ms"),
       "3:53: routes[0].limits[0]: 'l' has a lease of 10100ms, so its permits would come back "
       "while attempts run; the shortest that works is 22100ms, the longest attempt at target 't' "
       "and use_within together"},
      {lease("lease: 10s, use_within: 1us"),
       "3:53: routes[0].limits[0]: 'l' has a lease of 10s, so its permits would come back while "
       "attempts run; the shortest that works is 10000001us, the timeout of target 't' and "
       "use_within together"},
  });
}

}  // namespace
}  // namespace einlass::config
