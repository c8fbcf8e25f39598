// Right files: what they are read to.
#include "config/file/read_config.h"

#include <set>

#include "config/limits/parameters.h"
#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::read_config_test {
namespace {

Config read(const std::string& text, const Environment& environment = test_environment) {
  auto result = parse_config(text, "F", environment);
  if (auto* mistakes = std::get_if<Mistakes>(&result)) {
    ADD_FAILURE() << mistakes->front().to_string();
    return {};
  }
  return std::get<Config>(result);
}

TEST(ReadConfig, DefaultsAreThoseOfTheStructs) {
  const Config config = read(kTargets + kRoutes);
  EXPECT_EQ(config.instance, "gate-1");
  EXPECT_EQ(config.kafka.brokers, std::vector<std::string>{"127.0.0.1:9092"});
  EXPECT_TRUE(config.kafka.static_membership);
  EXPECT_EQ(config.redis.timeout, Duration::millis(500));
  EXPECT_EQ(config.targets.at(0).http()->max_in_flight, 64u);
  EXPECT_EQ(config.routes.at(0).retry.max, Duration::seconds(30));
  EXPECT_EQ(config.routes.at(0).inside.bytes, Bytes{16 << 20});
}

TEST(ReadConfig, ShardsAndTheirWatchdog) {
  EXPECT_EQ(read(top("shards: 64")).shards, 64);
  EXPECT_EQ(read(top("shards: 2\ninside: {records: 2, bytes: 2KiB}")).shards, 2);
  EXPECT_EQ(read(top("watchdog: 0s")).watchdog, Duration{});
  EXPECT_EQ(read(top("watchdog: 1s")).watchdog, Duration::seconds(1));
}

TEST(ReadConfig, RoutesRetryAsTheirTargetUnlessTheySayOtherwise) {
  const Config config = read(
      "targets: {t: {http: {url: http://h/}, retry: {initial: 1s, max: 1m, budget: 5%}, breaker: "
      "{failures: 3, wait: 2s, max_wait: 3s}}}\n"
      "routes: [{name: a, topics: [a], target: t}, {name: b, topics: [b], target: t, retry: {max: "
      "2s}}]\n");
  EXPECT_EQ(config.targets.at(0).retry.budget, 5);
  EXPECT_EQ(config.targets[0].breaker.failures, 3u);
  EXPECT_EQ(config.targets[0].breaker.wait, Duration::seconds(2));
  EXPECT_EQ(config.targets[0].breaker.max_wait, Duration::seconds(3));
  EXPECT_EQ(config.routes.at(0).retry.initial, Duration::seconds(1));
  EXPECT_EQ(config.routes[0].retry.max, Duration::seconds(60));
  EXPECT_EQ(config.routes.at(1).retry.initial, Duration::seconds(1));
  EXPECT_EQ(config.routes[1].retry.max, Duration::seconds(2));
}

TEST(ReadConfig, InstanceIsTheHostsName) {
  const auto host = [](std::string name) {
    return [name](const std::string& asked) -> std::optional<std::string> {
      if (asked == "HOSTNAME") return name;
      return std::nullopt;
    };
  };
  EXPECT_EQ(read(kTargets + kRoutes, host("web-7")).instance, "web-7");
  EXPECT_EQ(read(kTargets + kRoutes, host("")).instance, "gate-1");
  EXPECT_EQ(read(top("instance: mine"), host("web-7")).instance, "mine");
  const auto bad = parse_config(kTargets + kRoutes, "F", host("a b"));
  EXPECT_EQ(std::get<Mistakes>(bad).at(0).to_string(),
            "F: instance: HOSTNAME cannot be this gate's name; write instance: NAME with the "
            "characters a-z A-Z 0-9 . _ -");
}

TEST(ReadConfig, ExamplesAreRight) {
  for (const auto& entry : std::filesystem::directory_iterator(project() / "config")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto result = read_config(entry.path().string(), test_environment);
    const auto* mistakes = std::get_if<Mistakes>(&result);
    EXPECT_EQ(mistakes, nullptr) << mistakes->front().to_string();
  }
}

TEST(ReadConfig, TheConfigsOfTheTargetsPagesAreRight) {
  int pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(project() / "docs/targets")) {
    const std::string page = contents(entry.path());
    for (std::size_t at = 0; (at = page.find("```yaml\ntargets:", at)) != page.npos; ++pages) {
      at += 8;
      const auto result =
          parse_config(page.substr(at, page.find("```", at) - at), "F", test_environment);
      const auto* mistakes = std::get_if<Mistakes>(&result);
      EXPECT_EQ(mistakes, nullptr) << entry.path() << mistakes->front().to_string();
    }
  }
  EXPECT_GE(pages, 7);
}

TEST(ReadConfig, EveryAlgorithmIsUnderstood) {
  const auto parameters = [](const std::string& text) {
    const auto result = parse_config(limit("algorithm: " + text), "F", test_environment);
    EXPECT_TRUE(std::holds_alternative<Config>(result)) << mistakes_in(limit("algorithm: " + text));
    return std::get<Config>(result).limits.at(0).limit.parameters;
  };
  const auto window = std::get<limits::FixedWindowParameters>(
      parameters("fixed_window, limit: 3, window: 2s, align: key"));
  EXPECT_EQ(window.limit, Permits{3});
  EXPECT_EQ(window.window, Duration::seconds(2));
  EXPECT_TRUE(window.by_key);
  const auto counter =
      std::get<limits::CounterParameters>(parameters("counter, limit: 3, window: 2s"));
  EXPECT_EQ(counter.limit, Permits{3});
  EXPECT_EQ(counter.window, Duration::seconds(2));
  const auto slices = std::get<limits::SlidingWindowParameters>(
      parameters("sliding_window, limit: 3, window: 2s, slices: 4, log: newest"));
  EXPECT_EQ(slices.limit, Permits{3});
  EXPECT_EQ(slices.window, Duration::seconds(2));
  EXPECT_EQ(slices.slices, 4);
  EXPECT_TRUE(slices.log_newest);
  const auto leaky = std::get<limits::LeakyBucketParameters>(
      parameters("leaky_bucket, rate: 3/s, capacity: 4, mode: queue"));
  EXPECT_EQ(leaky.rate, (limits::Rate{3, 1'000'000}));
  EXPECT_EQ(leaky.capacity, Permits{4});
  EXPECT_TRUE(leaky.queue);
  const auto smooth = std::get<limits::SmoothParameters>(
      parameters("smooth, rate: 3/s, burst: 4, timeout: 5s, pay: next"));
  EXPECT_EQ(smooth.rate, (limits::Rate{3, 1'000'000}));
  EXPECT_EQ(smooth.burst, Permits{4});
  EXPECT_EQ(smooth.timeout, Duration::seconds(5));
  EXPECT_TRUE(smooth.pay_next);
  const auto warming =
      std::get<limits::WarmUpParameters>(parameters("smooth, rate: 3/s, warm_up: 7s"));
  EXPECT_EQ(warming.rate, (limits::Rate{3, 1'000'000}));
  EXPECT_EQ(warming.timeout, Duration::seconds(1));
  EXPECT_EQ(warming.warm_up, Duration::seconds(7));
  const auto concurrency =
      std::get<limits::ConcurrencyParameters>(parameters("concurrency, limit: 3, lease: 8s"));
  EXPECT_EQ(concurrency.limit, Permits{3});
  EXPECT_EQ(concurrency.lease, Duration::seconds(8));
}

TEST(ReadConfig, EverythingIsUnderstood) {
  const auto result =
      read_config((project() / "config/everything.yaml").string(), test_environment);
  ASSERT_TRUE(std::holds_alternative<Config>(result));
  const Config& config = std::get<Config>(result);
  EXPECT_EQ(config.kafka.properties.at("security.protocol"), "sasl_ssl");
  EXPECT_EQ(config.kafka.oauth.value_or(HttpAuth{}).scope, "kafka");
  EXPECT_TRUE(config.redis.tls);
  EXPECT_EQ(config.redis.username, "einlass");
  std::set<std::string_view> shown;
  for (const Limit& limit : config.limits) shown.insert(algorithm_name(limit.limit.parameters));
  const std::vector<std::string_view>& all = algorithms_of_the_options();
  EXPECT_EQ(shown, std::set(all.begin(), all.end()));
  const auto& log = std::get<limits::SlidingLogParameters>(config.limits[0].limit.parameters);
  EXPECT_EQ(log.limit, Permits{100});
  EXPECT_EQ(log.window, Duration::seconds(1));
  EXPECT_EQ(config.limits[0].store, Store::redis);
  EXPECT_EQ(config.limits[1].limit.name, "per_tenant");
  const auto& bucket = std::get<limits::TokenBucketParameters>(config.limits[1].limit.parameters);
  EXPECT_EQ(bucket.rate, (limits::Rate{1, 50'000}));
  EXPECT_EQ(bucket.burst, Permits{40});
  EXPECT_EQ(config.limits[1].key.kind, KeySource::Kind::json);
  EXPECT_EQ(config.limits[1].key.name, "/customer/id");
  EXPECT_EQ(config.limits[1].cost, (CostSource{CostSource::Kind::header, "weight"}));
  EXPECT_TRUE(config.limits[1].limit.cost_from_record);
  EXPECT_FALSE(config.limits[0].limit.cost_from_record);
  EXPECT_EQ(config.limits[1].bad_key, BadKey::dead_letter);
  EXPECT_EQ(config.limits[1].on_outage, OnOutage::local_share);
  EXPECT_EQ(config.instances, 4);
  ASSERT_EQ(config.redis.sentinel->addresses.size(), 3u);
  EXPECT_EQ(config.redis.sentinel->addresses[1].host, "127.0.0.1");
  EXPECT_EQ(config.redis.sentinel->addresses[1].port, 26380);
  EXPECT_EQ(config.redis.sentinel->name, "mymaster");
  EXPECT_EQ(config.redis.sentinel->username, "sentinel");
  EXPECT_FALSE(config.redis.cluster);
  EXPECT_EQ(config.redis.wait_replicas, 0);
  const HttpTarget& http = *config.targets.at(0).http();
  EXPECT_TRUE(http.tls);
  EXPECT_EQ(http.host, "127.0.0.1");
  EXPECT_EQ(http.port, 8443);
  EXPECT_EQ(http.path, "/callback");
  EXPECT_EQ(http.headers.at(0).first, "X-Source");
  EXPECT_EQ(http.forward_headers, std::vector<std::string>{"x-request-id"});
  EXPECT_EQ(config.routes.at(0).limits, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(config.routes.at(0).dead_letter, "results.dead");
}

TEST(ReadConfig, JsonIsYaml) {
  const Config config = read(R"({
	"kafka": {"brokers": ["a:1", "b"], "properties": {"linger.ms": 5, "check.crcs": true}},
	"limits": {"l": {"algorithm": "token_bucket", "rate": "1/3s", "burst": 2, "key": "topic"}},
	"targets": {"t": {"http": {"url": "http://[::1]:81/a?b=c", "headers": {"X": "\u00e4"}}}},
	"routes": [{"name": "r", "topics": ["a"], "target": "t", "limits": ["l"], "order": "key"}]
  })");
  EXPECT_EQ(config.kafka.brokers, (std::vector<std::string>{"a:1", "b:9092"}));
  EXPECT_EQ(config.kafka.properties.at("linger.ms"), "5");
  EXPECT_EQ(config.kafka.properties.at("check.crcs"), "true");
  EXPECT_EQ(config.limits.at(0).key.kind, KeySource::Kind::topic);
  EXPECT_EQ(config.targets.at(0).http()->host, "::1");
  EXPECT_EQ(config.targets.at(0).http()->port, 81);
  EXPECT_EQ(config.targets.at(0).http()->path, "/a?b=c");
  EXPECT_EQ(config.targets.at(0).http()->headers.at(0).second, "ä");
  EXPECT_EQ(config.routes.at(0).order, core::Order::key);
}

TEST(ReadConfig, BrokersMayBeOneText) {
  EXPECT_EQ(read(top("kafka: {brokers: 'a:1, b:2 ,[::1]'}")).kafka.brokers,
            (std::vector<std::string>{"a:1", "b:2", "[::1]:9092"}));
}

TEST(ReadConfig, RedisUrlInItsParts) {
  const Redis redis = read(top("redis: {url: 'rediss://us%40er:p%3Aw@h:7/3'}")).redis;
  EXPECT_TRUE(redis.tls);
  EXPECT_EQ(redis.username, "us@er");
  EXPECT_EQ(redis.password.value, "p:w");
  EXPECT_EQ(redis.host, "h");
  EXPECT_EQ(redis.port, 7);
  EXPECT_EQ(redis.database, 3);
  EXPECT_EQ(read(top("redis: {url: 'redis://:pw@h'}")).redis.password.value, "pw");
  EXPECT_EQ(read(top("redis: {url: redis://h/}")).redis.port, 6379);
}

TEST(ReadConfig, RedisOverAUnixSocket) {
  const Redis redis = read(top("redis: {url: 'unix://u:p@/run/my%20redis.sock?db=3'}")).redis;
  EXPECT_EQ(redis.host, "/run/my redis.sock");
  EXPECT_EQ(redis.database, 3);
  EXPECT_EQ(redis.username, "u");
  EXPECT_EQ(redis.password.value, "p");
  EXPECT_FALSE(redis.tls);
  EXPECT_EQ(read(top("redis: {url: unix:///a}")).redis.database, 0);
}

TEST(ReadConfig, JsonMayWriteACharacterInHalves) {
  const auto json = [](const std::string& mood, const std::string& order) {
    return R"({"targets": {"t": {"http": {"url": "http://h/", "headers": {"X-Mood": ")" + mood +
           R"("}}}}, "routes": [{"name": "r", "topics": ["a"], "target": "t", "limits": [], )" +
           R"("order": ")" + order + R"("}]})";
  };
  const auto mood = [&](const std::string& written) {
    return read(json(written, "none")).targets.at(0).http()->headers.at(0).second;
  };
  EXPECT_EQ(mood(R"(\ud83d\ude00, \u00e4)"), "\xF0\x9F\x98\x80, \xC3\xA4");
  EXPECT_EQ(mood(R"(\\ud83d\\ude00)"), R"(\ud83d\ude00)");
  EXPECT_NE(mistakes_in(json(R"(\ud83d)", "none")).find("invalid unicode"), std::string::npos);
  const std::string where = mistakes_in(json(R"(123456789012)", "some"));
  EXPECT_EQ(mistakes_in(json(R"(\ud83d\ude00)", "some")), where);
}

TEST(ReadConfig, SecretsFromFiles) {
  const TemporaryFile line("hunter2\n"), two_lines("a\nb\n"), long_file(std::string(65'537, 'x'));
  EXPECT_EQ(read(top("redis: {password_file: " + line.path() + "}")).redis.password.value,
            "hunter2");
  EXPECT_EQ(read(top("redis: {password_file: " + line.path() + "}")).redis.password.file,
            line.path());
  const std::string property = "kafka: {properties: {sasl.password_file: " + line.path() + "}}";
  EXPECT_EQ(read(top(property)).kafka.properties.at("sasl.password"), "hunter2");
  EXPECT_EQ(read(top(property)).kafka.password_file, line.path());
  const Config config = read(http("headers: {Authorization_file: " + line.path() + "}"));
  EXPECT_EQ(config.targets.at(0).http()->headers.at(0).first, "Authorization");
  EXPECT_EQ(config.targets.at(0).http()->headers.at(0).second, "hunter2");
  const TemporaryFile braces("{key}\n");
  const Config other = read(http("headers: {X-Auth_file: " + braces.path() + "}"));
  ASSERT_EQ(other.targets[0].http()->headers.size(), 1u);
  EXPECT_EQ(other.targets[0].http()->headers[0].first, "X-Auth");
  EXPECT_EQ(other.targets[0].http()->headers[0].second, "{key}");
  EXPECT_EQ(read(http("headers: {X-Jwt_file: " + line.path() + "}")).targets[0].http()->headers[0],
            std::pair(std::string("X-Jwt"), std::string("hunter2")));
  EXPECT_EQ(mistakes_in(http("headers: {X-Shard_file: " + line.path() + "}")),
            "2:40: targets.t.http.headers.X-Shard_file: the name says a file, but only a secret is "
            "read from one, as X-Api-Key_file; write X-Shard: VALUE");
  const Config from_record = read(http("headers: {X-Shard-Key: '{key}'}"));
  EXPECT_EQ(from_record.targets[0].http()->header_templates.size(), 1u);
  EXPECT_EQ(mistakes_in(http("headers: {Authorization_file: " + two_lines.path() + "}")),
            "2:40: targets.t.http.headers.Authorization: its value has a line break or another "
            "control character");
  for (const char* nothing : {"", "\n"}) {
    const TemporaryFile empty(nothing);
    EXPECT_EQ(mistakes_in(http("headers: {Authorization_file: " + empty.path() + "}")),
              "2:40: targets.t.http.headers.Authorization: its file is empty");
  }
  EXPECT_EQ(mistakes_in(top("redis: {password_file: " + long_file.path() + "}")),
            "1:24: redis.password_file: '" + long_file.path() + "' holds more than 64KiB");
}

TEST(ReadConfig, AliasStandsForAWholeValue) {
  const Config config =
      read("targets: {t: {http: &h {url: http://h/, timeout: 1s}}, u: {http: *h}}\n" + kRoutes);
  EXPECT_EQ(config.targets.at(1).http()->timeout, Duration::seconds(1));
}

TEST(ReadConfig, EmptySectionsAreDefaults) {
  const Config config = read(top("kafka:\nredis:\nlimits:\ninside:\nlog: {}"));
  EXPECT_EQ(config.kafka.group, "einlass");
}

TEST(ReadConfig, ByteOrderMarkAndWindowsLines) {
  EXPECT_EQ(read("\xEF\xBB\xBFinstance: a\r\n" + kTargets + kRoutes).instance, "a");
  EXPECT_EQ(mistakes_in("\xEF\xBB\xBFinstance: 'a\r\n'\r\nshards: 0\r\n" + kTargets + kRoutes),
            "1:11: instance: 'a ' is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ "
            "-\n3:9: shards: '0' is too small; the smallest value that works is 1");
}

// Without brokers of its own it is the source's cluster, and logs in there as the source does.
TEST(ReadConfig, AKafkaTargetHasTheSourcesBrokersAndProperties) {
  const std::string source = "kafka: {brokers: h, properties: {a: 1, b: 2}}\n";
  const auto read = [&](const std::string& text) {
    const auto result = parse_config(source + kafka("topic: t" + text), "F", test_environment);
    return std::get<Config>(result).targets[0].kafka()[0];
  };
  using Properties = std::map<std::string, std::string>;
  const KafkaTarget same = read(", properties: {b: 3, c: 4}");
  EXPECT_EQ(same.brokers, std::vector<std::string>{"h:9092"});
  EXPECT_EQ(same.properties, (Properties{{"a", "1"}, {"b", "3"}, {"c", "4"}}));
  const KafkaTarget other = read(", brokers: o, properties: {c: 4}");
  EXPECT_EQ(other.brokers, std::vector<std::string>{"o:9092"});
  EXPECT_EQ(other.properties, (Properties{{"c", "4"}}));
}

}  // namespace
}  // namespace einlass::config::read_config_test
