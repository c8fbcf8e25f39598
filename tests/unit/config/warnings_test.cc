#include "config/file/warnings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/file/read_config.h"
#include "unit/config/files.h"

namespace einlass::config::warnings_test {
namespace {

// What is said of that text, without the file's name.
std::vector<std::string> said_of(const std::string& text) {
  const TemporaryFile file(text);
  const std::string& path = file.path();
  const auto read = read_config(
      path, [](const std::string&) -> std::optional<std::string> { return std::nullopt; });
  const auto* config = std::get_if<Config>(&read);
  EXPECT_NE(config, nullptr) << std::get<Mistakes>(read).front().to_string();
  std::vector<std::string> said;
  if (config == nullptr) return said;
  for (const std::string& one : warnings(*config, path)) {
    EXPECT_TRUE(one.starts_with(path + ":")) << one;
    said.push_back(one.substr(path.size() + 1));
  }
  return said;
}

constexpr char kTarget[] = "targets:\n  t: {http: {url: http://h/}}\n";
constexpr char kLimit[] = "limits:\n  a: {algorithm: sliding_log, limit: 1, window: 1s}\n";

std::string with(const std::string& more, const std::string& route,
                 const std::string& dead_letter = "dead_letter: d") {
  return std::string(kTarget) + more + "routes:\n  - {name: r, topics: [x], target: t, " +
         dead_letter + (dead_letter.empty() ? "" : ", ") + route + "}\n";
}

using Said = std::vector<std::string>;

TEST(Warnings, NothingIsSaidOfWhatIsMeant) {
  EXPECT_EQ(said_of(with(kLimit, "limits: [a]")), Said{});
  EXPECT_EQ(said_of(with("", "limits: []")), Said{});
}

TEST(Warnings, ALimitAndATargetThatNobodyUses) {
  EXPECT_EQ(said_of(with(std::string("  u: {kafka: {topic: z}}\n") + kLimit, "limits: []")),
            (Said{"5:6: warning: limits.a: no route has it among its limits, so it limits nothing",
                  "3:6: warning: targets.u: no route delivers to it"}));
}

TEST(Warnings, ARouteWithoutLimits) {
  const Said said = said_of(with("", "order: none"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].starts_with("4:5: warning: routes[0]: has no limits")) << said[0];
}

TEST(Warnings, ARouteWithoutADeadLetterTopic) {
  const Said said = said_of(with(kLimit, "limits: [a]", ""));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].starts_with("6:5: warning: routes[0]: has no dead_letter")) << said[0];
}

TEST(Warnings, OrderByPartitionBesideALimitWithAKey) {
  const std::string keyed =
      "limits: {a: {algorithm: sliding_log, limit: 1, window: 1s, key: record_key}}\n";
  const Said said = said_of(with(keyed, "limits: [a]"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("with order: partition a key that is at its limit a"), said[0].npos);
  EXPECT_EQ(said_of(with(keyed, "limits: [a], order: key")), Said{});
}

// Two routes with one limit, and what each says of its share.
Said said_of_two_shares(const std::string& first, const std::string& second,
                        const std::string& limit = "") {
  return said_of(
      std::string(kTarget) + "limits:\n  a: {algorithm: sliding_log, limit: 1, window: 1s" + limit +
      "}\nshares: {s: {by: record_key}, o: {by: topic}}\nroutes:\n" +
      "  - {name: r, topics: [x], target: t, limits: [a], order: none, dead_letter: d" + first +
      "}\n" + "  - {name: q, topics: [y], target: t, limits: [a], order: none, dead_letter: d" +
      second + "}\n");
}

TEST(Warnings, RoutesOfOneLimitUnderDifferentShares) {
  const Said said = said_of_two_shares(", share: s", ", share: o");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0],
            "8:5: warning: routes[1]: is under share o, but routes[0], with which it has limits.a "
            "in common, is under share s; each divides only what comes to it, so no weight holds "
            "between the two; write the same share for both (with order: key or none)");
  ASSERT_EQ(said_of_two_shares(", share: s", "").size(), 1u);
  EXPECT_NE(said_of_two_shares(", share: s", "")[0].find("routes[1]: has no share"),
            std::string::npos);
  EXPECT_EQ(said_of_two_shares(", share: s", ", share: s"), Said{});
  EXPECT_EQ(said_of_two_shares("", ""), Said{});
  EXPECT_EQ(said_of_two_shares(", share: s", "", ", key: record_key"), Said{});
  const auto of_counter = [](const std::string& burst) {
    return said_of(std::string(kTarget) +
                   "limits:\n  a: {algorithm: counter, limit: 9, window: 1s" + burst +
                   "}\nshares: {s: {by: record_key}}\nroutes:\n" +
                   "  - {name: r, topics: [x], target: t, limits: [a], order: none, share: s, "
                   "dead_letter: d}\n"
                   "  - {name: q, topics: [y], target: t, limits: [a], dead_letter: d}\n");
  };
  EXPECT_EQ(of_counter("").size(), 1u);
  EXPECT_EQ(of_counter(", burst: 2").size(), 1u) << "what keeps the burst is no limit of its own";
}

// `a` is a limit of both; the second route has `b` besides.
Said said_of_two_routes(const std::string& a, const std::string& b) {
  return said_of(std::string(kTarget) + "shards: 2\nlimits:\n  a: {algorithm: sliding_log, limit: 1, window: 1s" +
                 a + "}\n  b: {algorithm: " + b + "}\nroutes:\n" +
                 "  - {name: r, topics: [x], target: t, limits: [a], dead_letter: d}\n" +
                 "  - {name: s, topics: [y], target: t, limits: [a, b], order: key, dead_letter: d}\n");
}

TEST(Warnings, ARouteThatCannotAskAheadBesideOneThatDoes) {
  const Said held = said_of_two_routes("", "concurrency, limit: 3, lease: 1m");
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0],
            "9:5: warning: routes[1]: shares limits.a with routes[0], which requests its permits "
            "ahead of time; this route cannot, because limits.b grants nothing ahead, so while another "
            "gate has a backlog of routes[0] it gets hardly any; write horizon: 0 for limits.a");
  EXPECT_EQ(said_of_two_routes(", horizon: 0", "concurrency, limit: 3, lease: 1m"), Said{});
  const std::string log = "sliding_log, limit: 1, window: 1s";
  EXPECT_EQ(said_of_two_routes("", log), Said{});
  const Said keyed = said_of_two_routes(", key: \"header:tenant\"", log);
  ASSERT_EQ(keyed.size(), 2u);  // And of the first route's order.
  EXPECT_NE(keyed[0].find("because it has several limits, and limits.a has a key"), keyed[0].npos);
}

TEST(Warnings, AHorizonWhereNothingIsGrantedAhead) {
  const auto window = [](const std::string& more) {
    return with("limits: {a: {algorithm: fixed_window, limit: 1, window: 1s" + more + "}}\n",
                "limits: [a]");
  };
  EXPECT_EQ(said_of(window(", horizon: 5s")),
            Said{"3:70: warning: limits.a.horizon: means nothing here, where nothing is granted "
                 "ahead; leave it out"});
  EXPECT_EQ(said_of(window(", horizon: 0")), Said{});
  EXPECT_EQ(said_of(window(", burst: 1")), Said{});
}

TEST(Warnings, ABurstThatSomeRecordsWillCostMoreThanItCanCount) {
  const auto counter = [](const std::string& more) {
    return with("limits: {a: {algorithm: counter, limit: 9999, window: 1h, " + more + "}}\n",
                "limits: [a]");
  };
  EXPECT_EQ(said_of(counter("cost: 'header:units', burst: 1001")),
            Said{"3:88: warning: limits.a.burst: a record that costs more than 1000 gets no permit "
                 "under any burst; use token_bucket or gcra if there are such records"});
  EXPECT_EQ(said_of(counter("cost: 'header:units', burst: 1000")), Said{});
  EXPECT_EQ(said_of(counter("cost: 2, burst: 1002")), Said{});
}

TEST(Warnings, RedisThatIsNotWritten) {
  const std::string kept =
      "limits: {a: {algorithm: sliding_log, limit: 1, window: 1s, store: redis}}\n";
  const Said said = said_of(with(kept, "limits: [a]"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("no server is written, so it is 127.0.0.1:6379"), said[0].npos) << said[0];
  EXPECT_EQ(said_of(with("redis: {}\n" + kept, "limits: [a]")), Said{});
  const Said quotas = said_of(with("quotas: {redis: true}\n", "limits: []"));
  ASSERT_EQ(quotas.size(), 1u);
  EXPECT_EQ(quotas[0],
            "3:17: warning: quotas.redis: no server is written, so it is 127.0.0.1:6379; write "
            "redis: {url: redis://HOST:PORT}");
}

TEST(Warnings, SeveralGatesThatShareNoLimit) {
  const std::string own =
      ": no limit has store: redis, so each gate has the whole of each limit; write store: redis "
      "at the limits that the gates are to share";
  EXPECT_EQ(said_of(with(kLimit + std::string("redis: {}\n"), "limits: [a]")),
            Said{"5:8: warning: redis" + own});
  EXPECT_EQ(said_of(with(kLimit + std::string("instances: 3\n"), "limits: [a]")),
            Said{"5:12: warning: instances" + own});
  EXPECT_EQ(said_of(with(kLimit + std::string("instances: 1\n"), "limits: [a]")), Said{});
  EXPECT_EQ(
      said_of(with(kLimit + std::string("redis: {}\nquotas: {redis: true}\n"), "limits: [a]")),
      Said{});
  EXPECT_EQ(said_of(with("redis: {}\n", "limits: []")), Said{});
}

// It may be a pipe, or another one by now.
TEST(Warnings, TheFileIsNotReadAgain) {
  const auto read =
      parse_config(with("", "limits: []", ""), "gone.yaml",
                   [](const std::string&) -> std::optional<std::string> { return std::nullopt; });
  const Said said = warnings(std::get<Config>(read), "gone.yaml");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].starts_with("gone.yaml:4:5: warning: routes[0]: has no dead_letter"))
      << said[0];
}

}  // namespace
}  // namespace einlass::config::warnings_test
