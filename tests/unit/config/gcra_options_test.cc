// What a configuration says of a limit by GCRA, and what it may not say.
#include <gtest/gtest.h>

#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

TEST(GcraOptions, AreARateAndABurst) {
  const auto result = parse_config(limit("algorithm: gcra, rate: 3/s, burst: 4, key: topic, "
                                         "overrides: {a: {rate: 7/s}}"),
                                   "F", test_environment);
  const Config* config = std::get_if<Config>(&result);
  ASSERT_NE(config, nullptr);
  const auto& parameters = std::get<limits::GcraParameters>(config->limits.at(0).limit.parameters);
  EXPECT_EQ(parameters.rate, (limits::Rate{3, 1'000'000}));
  EXPECT_EQ(parameters.burst, Permits{4});
  EXPECT_EQ(config->limits.at(0).horizon, Duration::millis(500));
}

TEST(GcraOptions, WhatItDoesNotTakeIsNamed) {
  expect_mistakes({
      {limit("algorithm: gcra, rate: 1/s"), "2:6: limits.l.burst: missing; write burst: 100"},
      {limit("algorithm: gcra, rate: 1/s, burst: 1, start: empty"),
       "2:52: limits.l.start: means nothing to gcra, which takes rate and burst"},
      {limit("algorithm: gcra, rate: 1/s, burst: 5, cost: 6"),
       "2:51: limits.l.cost: cost 6 is more than the burst of 5, so no record could ever pass; "
       "lower the cost or raise the burst"},
  });
}

}  // namespace
}  // namespace einlass::config
