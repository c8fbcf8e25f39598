#include "app/check.h"

#include <gtest/gtest.h>

#include "app/process/exit_codes.h"
#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

TEST(Check, a_table_that_cannot_be_made_is_told_and_the_targets_are_tried) {
  const auto read = config::parse_config(
      "kafka: {properties: {no.such: x}}\nquotas: {topic: q}\n"
      "targets: {t: {http: {url: http://127.0.0.1:1/}}}\n" +
          config::kRoutes,
      "F", config::test_environment);
  testing::internal::CaptureStderr();
  EXPECT_EQ(check_connections(std::get<config::Config>(read)), kExitFailed);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("FAILED  quotas and pauses in topic q: kafka.properties"), told.npos) << told;
  EXPECT_NE(told.find("FAILED  target t at "), told.npos) << told;
}

}  // namespace
}  // namespace einlass::app
