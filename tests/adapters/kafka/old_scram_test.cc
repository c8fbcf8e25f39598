// What is read out of librdkafka's log, and whom it asks for nothing. Brokers that answer are in
// tests/e2e.
#include "adapters/kafka/check/old_scram.h"

#include <gtest/gtest.h>

#include <chrono>

namespace einlass::kafka {
namespace {

TEST(OldScram, reads_the_oldest_version_of_a_request) {
  const auto fetch = read_oldest_version(
      "[thrd:sasl_ssl://b (1):9093/bootstrap]: sasl_ssl://b (1):9093/bootstrap:   ApiKey Fetch (1) "
      "Versions 4..18");
  ASSERT_TRUE(fetch);
  EXPECT_EQ(fetch->request, 1);
  EXPECT_EQ(fetch->version, 4);
  const auto unknown = read_oldest_version("ApiKey Unknown-60? (60) Versions 0..2");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->request, 60);
  EXPECT_EQ(unknown->version, 0);
}

TEST(OldScram, reads_nothing_out_of_other_lines) {
  for (const char* line : {
           "",
           "Broker API support:",
           " Feature MsgVer2: Fetch (4..4) supported by broker",
           "ApiKey ",
           "ApiKey Fetch",
           "ApiKey Fetch (",
           "ApiKey Fetch (1",
           "ApiKey Fetch (x) Versions 4..18",
           "ApiKey Fetch (1) Versions ",
           "ApiKey Fetch (1) Versions x",
           "ApiKey Fetch (1) Versions 4",
           "ApiKey Fetch (99999999999) Versions 4..18",
           "ApiKey Fetch (1) Versions 99999999999..18",
       }) {
    EXPECT_FALSE(read_oldest_version(line)) << line;
  }
}

SourceOptions at_nobody(const char* protocol, const char* mechanism) {
  SourceOptions options;
  options.brokers = "127.0.0.1:1";
  options.group = "g";
  options.properties = {{"security.protocol", protocol},
                        {"sasl.mechanisms", mechanism},
                        {"sasl.username", "u"},
                        {"sasl.password", "p"}};
  return options;
}

TEST(OldScram, waits_for_brokers_that_are_away_only_so_long) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(refused_scram(at_nobody("sasl_plaintext", "SCRAM-SHA-256"), Duration::millis(100)), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(OldScram, asks_nobody_where_there_is_no_scram) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(refused_scram(at_nobody("sasl_plaintext", "PLAIN"), Duration::seconds(60)), "");
  EXPECT_EQ(refused_scram(at_nobody("plaintext", "SCRAM-SHA-256"), Duration::seconds(60)), "");
  EXPECT_EQ(refused_scram(std::span<const TargetOptions>(), Duration::seconds(60)), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace einlass::kafka
