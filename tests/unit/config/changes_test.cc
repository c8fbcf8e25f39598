#include "config/file/changes.h"

#include <array>

#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

const std::string kFile =
    "instance: gate-1\n"
    "drain_timeout: 10s\n"
    "limits:\n"
    "  callbacks: {algorithm: sliding_log, limit: 100, window: 1s}\n"
    "  per.tenant: {algorithm: token_bucket, rate: 10/s, burst: 5, key: record_key}\n"
    "targets:\n"
    "  billing: {http: {url: http://h/, headers: {X-Source: a, Authorization: secret-1}}}\n"
    "  other: {http: {url: http://o/}}\n"
    "routes:\n"
    "  - {name: results, topics: [a], target: billing, limits: [callbacks, per.tenant]}\n"
    "  - {name: more, topics: [b], target: other, dead_letter: dead}\n";

Config read(const std::string& text) {
  auto result = parse_config(text, "F", test_environment);
  if (auto* mistakes = std::get_if<Mistakes>(&result)) {
    ADD_FAILURE() << mistakes->front().to_string();
    return {};
  }
  return std::get<Config>(result);
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kFile;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

// What differs, one a line; "!" before what needs a restart.
std::string told_between(const std::string& before, const std::string& after) {
  std::string all;
  for (const Changed& change : changes(read(before), read(after))) {
    all += (all.empty() ? "" : "\n") + std::string(change.needs_restart.empty() ? "" : "!") +
           change.to_string();
  }
  return all;
}

// The same of kFile with `from` replaced.
std::string changed(const std::string& from, const std::string& to) {
  return told_between(kFile, with(from, to));
}

TEST(Changes, NothingIsNoChange) { EXPECT_EQ(changed("", ""), ""); }

// It is kept by a limit of its own behind the others, which no route can get while it runs.
TEST(Changes, ABurstOfALimitThatCountsMayChangeButNeitherComeNorGo) {
  const auto counter = [](const std::string& burst) {
    return with("sliding_log, limit: 100, window: 1s", "counter, limit: 100, window: 1s" + burst);
  };
  EXPECT_EQ(told_between(counter(", burst: 20"), counter(", burst: 30")),
            "limits.callbacks.burst: 20 -> 30");
  EXPECT_EQ(told_between(counter(""), counter(", burst: 30")),
            "!limits.callbacks.burst: not there -> 30");
  EXPECT_EQ(told_between(counter(", burst: 30"), counter(", burst: 100")),
            "!limits.callbacks.burst: 30 -> not there");
}

TEST(Changes, NumbersCanBeTaken) {
  EXPECT_EQ(changed("limit: 100", "limit: 50"), "limits.callbacks.limit: 100 -> 50");
  EXPECT_EQ(changed("rate: 10/s, burst: 5", "rate: 20/s, burst: 6"),
            "limits.per.tenant.rate: 10/s -> 20/s\nlimits.per.tenant.burst: 5 -> 6");
  EXPECT_EQ(changed("burst: 5,", "burst: 5, cost: 2, horizon: 1s, use_within: 1s,"),
            "limits.per.tenant.cost: 1 -> 2\nlimits.per.tenant.horizon: 500ms -> 1s\n"
            "limits.per.tenant.use_within: 100ms -> 1s");
  EXPECT_EQ(changed("drain_timeout: 10s", "drain_timeout: 1s\nwatchdog: 0s\nlog: {level: error}"),
            "drain_timeout: 10s -> 1s\nwatchdog: 30s -> 0s\nlog.level: info -> error");
  EXPECT_EQ(changed("drain_timeout: 10s",
                    "kafka: {commit_interval: 1s, commit_records: 9, revoke_timeout: 1s, "
                    "auto_offset_reset: latest}"),
            "kafka.commit_interval: 100ms -> 1s\nkafka.commit_records: 256 -> 9\n"
            "kafka.revoke_timeout: 10s -> 1s\n"
            "kafka.auto_offset_reset: earliest -> latest");
  EXPECT_EQ(changed("target: other,", "target: other, retry: {max: 9s}, inside: {records: 5},"),
            "routes.more.retry.max: 30s -> 9s\nroutes.more.inside.records: 1000 -> 5");
  EXPECT_EQ(changed("dead_letter: dead", "dead_letter: worse"),
            "routes.more.dead_letter: dead -> worse");
  EXPECT_EQ(changed("url: http://o/", "url: http://p/, timeout: 1s, max_in_flight: 3"),
            "targets.other.http.url: http://o/ -> http://p/\n"
            "targets.other.http.timeout: 5s -> 1s\ntargets.other.http.max_in_flight: 64 -> 3");
  EXPECT_EQ(changed("url: http://o/", "url: http://o/, http2: always"),
            "targets.other.http.http2: auto -> always");
}

TEST(Changes, OfAKafkaTargetWhatItsProducerDoesNotRestOn) {
  const auto with = [](const std::string& text) { return read(kafka("topic: t" + text)); };
  const auto told = [&](const std::string& text) {
    std::string all;
    for (const Changed& change : changes(with(""), with(text))) {
      all += (change.needs_restart.empty() ? "" : "!") + change.to_string();
    }
    return all;
  };
  EXPECT_EQ(told("2"), "targets.t.kafka.topic: t -> t2");
  EXPECT_EQ(told(", partition: same"), "targets.t.kafka.partition: key -> same");
  EXPECT_EQ(told(", max_in_flight: 5"), "targets.t.kafka.max_in_flight: 1000 -> 5");
  EXPECT_EQ(told(", timeout: 5s"), "!targets.t.kafka.timeout: 30s -> 5s");
  EXPECT_EQ(told(", brokers: h"), "!targets.t.kafka.brokers: [\"127.0.0.1:9092\"] -> [h:9092]");
}

TEST(Changes, ASecretIsSeenAndNotShown) {
  EXPECT_EQ(changed("secret-1", "secret-2"),
            "targets.billing.http.headers.Authorization: \"***\" -> \"***\"");
  EXPECT_EQ(changed("http://h/", "\"http://h/?token=abc\""),
            "targets.billing.http.url: http://h/ -> \"http://h/?token=***\"");
  EXPECT_EQ(told_between(with("http://o/", "'http://o/{key}?code=12345678'"),
                         with("http://o/", "'http://o/{key}?code=87654321'")),
            "targets.other.http.url: \"http://o/{key}?code=***\" -> \"http://o/{key}?code=***\"");
  EXPECT_EQ(told_between(with("http://o/", "'http://o/?code={topic}'"),
                         with("http://o/", "'http://o/?code={key}'")),
            "targets.other.http.url: \"http://o/?code=***\" -> \"http://o/?code=***\"")
      << "where only the placeholder is another";
  EXPECT_EQ(changed("X-Source: a, ", ""), "targets.billing.http.headers.X-Source: a -> not there");
}

// Its file is read again as it changes, so that a secret is rotated without a reload.
TEST(Changes, WhatTheFileOfAKafkaSecretHoldsIsNoChange) {
  const TemporaryFile secret("one");
  const auto text = [&](const std::string& more) {
    return kFile + "kafka: {oauth: {token_url: https://h/t, client_id: i, client_secret_file: " +
           secret.path() + more + "}}\n";
  };
  const Config before = read(text(""));
  std::ofstream(secret.path()) << "two";
  EXPECT_TRUE(changes(before, read(text(""))).empty());
  EXPECT_FALSE(changes(before, read(text(", scope: s"))).empty());
}

TEST(Changes, TheTokenOfTheAdminPagesMayChange) {
  EXPECT_EQ(changed("drain_timeout: 10s", "admin: {token: a-token}"),
            "admin.token: not there -> \"***\"");
}

TEST(Changes, WhatTheStartHasMadeNeedsARestart) {
  for (const auto& [from, to, told] : std::vector<std::array<std::string, 3>>{
           {"instance: gate-1", "instance: gate-2", "!instance: gate-1 -> gate-2"},
           {"drain_timeout: 10s", "shards: 2", "!shards: 1 -> 2"},
           {"drain_timeout: 10s", "admin: {listen: \"h:1\"}",
            "!admin.listen: \"127.0.0.1:9465\" -> h:1"},
           {"drain_timeout: 10s", "admin: {tls: {cert_file: /c, key_file: /k}}",
            "!admin.tls.cert_file: not there -> \"/c\"\n!admin.tls.key_file: not there -> \"/k\""},
           {"drain_timeout: 10s", "kafka: {group: g}", "!kafka.group: einlass -> g"},
           {"drain_timeout: 10s", "redis: {timeout: 1s}", "!redis.timeout: 500ms -> 1s"},
           {"key: record_key", "key: topic", "!limits.per.tenant.key: record_key -> topic"},
           {"target: other", "target: other, order: key", "!routes.more.order: partition -> key"},
           {"topics: [b]", "topics: [c]", "!routes.more.topics: [b] -> [c]"},
           {", dead_letter: dead", "", "!routes.more.dead_letter: dead -> not there"},
           {"target: billing, ", "target: billing, dead_letter: d, ",
            "!routes.results.dead_letter: not there -> d"},
       }) {
    EXPECT_EQ(changed(from, to), told);
  }
}

TEST(Changes, WhatAPatternLeavesOutNeedsARestart) {
  const auto with = [](const std::string& topic, const std::string& dead) {
    return read("targets: {t: {kafka: {topic: " + topic + "}}}\nroutes:\n" +
                "  - {name: r, topics: [^a], target: t, dead_letter: " + dead + "}\n");
  };
  const auto told = [](const Config& from, const Config& to) {
    std::string all;
    for (const Changed& change : changes(from, to)) {
      all += (change.needs_restart.empty() ? "" : "!") + change.to_string();
    }
    return all;
  };
  EXPECT_EQ(told(with("x", "d"), with("x", "e")), "routes.r.dead_letter: d -> e");
  EXPECT_EQ(told(with("x", "d"), with("x", "a.dead")), "!routes.r.dead_letter: d -> a.dead");
  EXPECT_EQ(told(with("x", "d"), with("z", "d")), "targets.t.kafka.topic: x -> z");
  EXPECT_EQ(told(with("a.out", "d"), with("x", "d")), "!targets.t.kafka.topic: a.out -> x");
}

TEST(Changes, AnotherAlgorithmIsToldWithAllThatComesWithIt) {
  const std::string told = changed("algorithm: sliding_log, limit: 100, window: 1s",
                                   "algorithm: token_bucket, rate: 1/s, burst: 1");
  EXPECT_NE(told.find("!limits.callbacks.algorithm: sliding_log -> token_bucket"), told.npos);
  EXPECT_EQ(told.find("\nlimits"), told.npos) << "not in part";
  EXPECT_EQ(changed("burst: 5,", "burst: 5, cost: \"header:c\","),
            "!limits.per.tenant.cost: 1 -> header:c\n"
            "!limits.per.tenant.default_cost: not there -> 1");
  EXPECT_EQ(changed("rate: 10/s, burst: 5,", "rate: 20/s, burst: 5, cost: bytes,"),
            "limits.per.tenant.rate: 10/s -> 20/s\n"
            "!limits.per.tenant.cost: 1 -> bytes\n"
            "!limits.per.tenant.default_cost: not there -> 1")
      << "the rate may change";
}

TEST(Changes, NamesThatComeOrGoNeedARestart) {
  EXPECT_EQ(changed("  other: {", "  third: {http: {url: http://t/}}\n  other: {"),
            "!targets.third: not there -> there");
  EXPECT_EQ(changed("target: billing, limits: [callbacks, per.tenant]", "target: billing"),
            "!routes.results.limits: [callbacks, per.tenant] -> []");
  EXPECT_EQ(changed("name: more", "name: most"),
            "!routes.more: there -> not there\n!routes.most: not there -> there");
}

TEST(Changes, TheOrderInTheFileMakesNoDifference) {
  const std::string turned =
      "instance: gate-1\n"
      "limits:\n"
      "  per.tenant: {algorithm: token_bucket, rate: 10/s, burst: 5, key: record_key}\n"
      "  callbacks: {algorithm: sliding_log, limit: 101, window: 1s}\n"
      "targets:\n"
      "  other: {http: {url: http://o/}}\n"
      "  billing: {http: {url: http://h/, headers: {X-Source: a, Authorization: secret-1}}}\n"
      "routes:\n"
      "  - {name: more, topics: [b], target: other, dead_letter: dead}\n"
      "  - {name: results, topics: [a], target: billing, limits: [callbacks, per.tenant]}\n";
  const std::vector<Changed> found = changes(read(kFile), read(turned));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].to_string(), "limits.callbacks.limit: 100 -> 101");
  const Config ordered = in_order_of(read(kFile), read(turned));
  EXPECT_EQ(ordered.limits[0].limit.name, "callbacks");
  EXPECT_EQ(ordered.targets[1].name, "other");
  EXPECT_EQ(ordered.routes[0].name, "results");
  EXPECT_EQ(ordered.routes[0].limits, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(ordered.routes[1].target, 1u);
}

// Of two patterns that fit a topic the earlier one has it.
TEST(Changes, TheOrderOfRoutesWithPatternsNeedsARestart) {
  const auto file = [](const std::string& routes) { return kTargets + "routes:\n" + routes; };
  const std::string all = "  - {name: all, topics: [^a], target: t}\n";
  const std::string some = "  - {name: some, topics: [^ab], target: t}\n";
  const std::string one = "  - {name: one, topics: [abc], target: t}\n";
  EXPECT_EQ(told_between(file(some + all + one), file(all + some + one)),
            "!routes: [some, all] -> [all, some]");
  EXPECT_EQ(told_between(file(some + all + one), file(one + some + all)), "");
}

// What it holds is read again by whoever logs in with it.
TEST(Changes, APasswordThatIsRenewedInItsFileIsNone) {
  TemporaryFile password("one"), other("two");
  const auto file = [](const TemporaryFile& from) {
    return top("kafka: {properties: {sasl.username: me, sasl.password_file: " + from.path() + "}}");
  };
  const Config before = read(file(password));
  password.write("three");
  const Config after = read(file(password));
  EXPECT_EQ(after.kafka.properties.at("sasl.password"), "three");
  EXPECT_TRUE(changes(before, after).empty());
  EXPECT_EQ(told_between(file(password), file(other)), "!kafka.properties.sasl.password_file: \"" +
                                                           password.path() + "\" -> \"" +
                                                           other.path() + "\"");
}

TEST(Changes, NamesWithDotsAreNotTakenForOthers) {
  const auto limits = [](const std::string& a, const std::string& b) {
    return "limits:\n  a: {" + a + "}\n  a.b: {algorithm: counter, window: 1s, limit: " + b +
           "}\n" + kTargets + kRoutes;
  };
  const std::string told =
      told_between(limits("algorithm: counter, limit: 1, window: 1s", "1"),
                   limits("algorithm: token_bucket, rate: 1/s, burst: 1", "2"));
  EXPECT_NE(told.find("\nlimits.a.b.limit: 1 -> 2"), told.npos) << told;
  EXPECT_EQ(told_between(http("headers: {X: y}"), http("headers: {X: y, X.dead_letter: z}")),
            "targets.t.http.headers.X.dead_letter: not there -> z");
}

TEST(Changes, ABurstStaysWithItsLimitWhateverTheOrder) {
  const std::string front = "instance: gate-1\nlimits:\n";
  const std::string first = "  a: {algorithm: counter, limit: 10, window: 1s, burst: 2}\n";
  const std::string second = "  b: {algorithm: counter, limit: 20, window: 1s, burst: 3}\n";
  const std::string rest =
      "targets: {billing: {http: {url: http://h/}}}\n"
      "routes: [{name: results, topics: [a], target: billing, limits: [a, b]}]\n";
  const Config ordered =
      in_order_of(read(front + first + second + rest), read(front + second + first + rest));
  for (const std::size_t i : {0u, 1u}) {
    const Limit& limit = ordered.limits[i];
    ASSERT_TRUE(limit.paced_by.has_value());
    EXPECT_EQ(ordered.limits[*limit.paced_by].limit.name, limit.limit.name + "/burst");
  }
}

}  // namespace
}  // namespace einlass::config
