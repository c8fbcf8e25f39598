#include "units/topic_pattern.h"

#include <gtest/gtest.h>

#include "config/options/route_topics.h"
#include "unit/config/wrong_config.h"

namespace einlass {
namespace {

TEST(TopicPattern, FitsFromTheBeginningAndNotToTheEnd) {
  const TopicPattern open("^results\\..*"), closed("^results\\.(a|b)$"), prefix("^results");
  EXPECT_TRUE(open.fits("results.a"));
  EXPECT_TRUE(open.fits("results."));
  EXPECT_FALSE(open.fits("results"));
  EXPECT_FALSE(open.fits("resultsx"));
  EXPECT_FALSE(open.fits("the.results.a"));
  EXPECT_TRUE(closed.fits("results.b"));
  EXPECT_FALSE(closed.fits("results.bb"));
  EXPECT_TRUE(prefix.fits("results-of-all"));
}

TEST(TopicPattern, IsToldFromANameByItsBeginning) {
  EXPECT_TRUE(TopicPattern::is_one("^a"));
  EXPECT_FALSE(TopicPattern::is_one("a"));
  EXPECT_FALSE(TopicPattern::is_one(""));
  EXPECT_NE(TopicPattern::refusal("a"), "");
}

TEST(TopicPattern, LeavesOutWhatTheGateItselfWrites) {
  const auto parsed = config::parse_config(
      "kafka: {brokers: [h, i]}\n"
      "quotas: {topic: r.quotas}\n"
      "targets:\n"
      "  here: {kafka: {topic: r.copy}}\n"
      "  same: {kafka: {topic: r.same, brokers: [i]}}\n"
      "  there: {kafka: {topic: r.far, brokers: [elsewhere]}}\n"
      "  web: {http: {url: http://h/}}\n"
      "routes:\n"
      "  - {name: a, topics: [^r], target: here, dead_letter: r.dead}\n"
      "  - {name: b, topics: [s, r.again], target: there, dead_letter: other}\n"
      "  - {name: c, topics: [^t], target: web, dead_letter: r.again}\n",
      "F", config::test_environment);
  const auto* config = std::get_if<config::Config>(&parsed);
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(config::left_out_of_patterns(*config),
            (std::vector<std::string>{"r.copy", "r.dead", "r.quotas", "r.same"}))
      << "not what is elsewhere, fits nothing, or is named in full";
}

}  // namespace
}  // namespace einlass
