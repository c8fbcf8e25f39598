// Which limits a replay has, and what its trace makes of them.
#include "app/replay/chosen_limits.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/replay/replay_choice.h"
#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

using Names = std::vector<std::string_view>;

// `a` with a burst that another limit keeps, and `b`.
config::Config two_limits() {
  return std::get<config::Config>(config::parse_config(
      config::top("limits:\n"
                  "  a: {algorithm: counter, limit: 10, window: 1s, burst: 2}\n"
                  "  b: {algorithm: counter, limit: 20, window: 1s}"),
      "F", config::test_environment));
}

TraceLine::LimitChange change(std::size_t limit, const std::string& value) {
  return {.limit = limit, .column = 1, .changes = {{.name = "limit", .value = value}}};
}

Permits limit_of(const limits::Limit& limit) {
  return std::get<limits::CounterParameters>(limit.parameters).limit;
}

TEST(ChosenLimits, has_the_one_that_keeps_a_burst_behind_its_own) {
  const config::Config config = two_limits();
  const ChosenLimits chosen(config, chosen_limits(config, {"a", "b"}).value());
  EXPECT_EQ(chosen.names(), (Names{"a", "a/burst", "b"}));
  EXPECT_EQ(chosen.written(), (Names{"a", "b"}));
  EXPECT_EQ(chosen.index_of(1), 2u);
  std::vector<int> said = {7, 8};
  chosen.spread(said);
  EXPECT_EQ(said, (std::vector<int>{7, 7, 8}));
}

TEST(ChosenLimits, changes_all_that_a_line_says_or_nothing) {
  const config::Config config = two_limits();
  ChosenLimits chosen(config, chosen_limits(config, {"a", "b"}).value());
  const TraceLine::LimitChange half[] = {change(0, "5"), change(1, "many")};
  const config::Mistakes mistakes = chosen.change(half, "trace", 3);
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_TRUE(mistakes[0].to_string().starts_with("trace:3:")) << mistakes[0].to_string();
  EXPECT_EQ(limit_of(chosen.all()[0]), Permits{10});
  const TraceLine::LimitChange whole[] = {change(0, "5"), change(1, "30")};
  EXPECT_TRUE(chosen.change(whole, "trace", 4).empty());
  EXPECT_EQ(limit_of(chosen.all()[0]), Permits{5});
  EXPECT_EQ(limit_of(chosen.all()[2]), Permits{30});
}

}  // namespace
}  // namespace einlass::app
