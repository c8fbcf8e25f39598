// The configuration: what users may say, what they may not, and that secrets stay secret.
#include "adapters/kafka/client/configuration.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace einlass::kafka {
namespace {

constexpr int kOld = 0x020002ff;
constexpr int kNew = 0x020e02ff;

SourceOptions with(std::map<std::string, std::string> properties) {
  SourceOptions options;
  options.brokers = "127.0.0.1:9";
  options.group = "group";
  options.instance = "gate-1";
  options.topics = {{"topic", core::RouteId{0}}};
  options.properties = std::move(properties);
  return options;
}

std::string refused(const SourceOptions& options, int version = kOld) {
  try {
    source_configuration(options, version);
    return "accepted";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Configuration, has_the_defaults_that_the_promises_rest_on) {
  const ConfHandle conf = source_configuration(with({}), kOld);
  EXPECT_EQ(property(conf.get(), "enable.auto.commit"), "false");
  EXPECT_EQ(property(conf.get(), "enable.auto.offset.store"), "false");
  EXPECT_EQ(property(conf.get(), "auto.offset.reset"), "error");
  EXPECT_EQ(property(conf.get(), "enable.partition.eof"), "true");
  EXPECT_EQ(property(conf.get(), "partition.assignment.strategy"), "range");
  EXPECT_EQ(property(conf.get(), "group.instance.id"), "gate-1");
  EXPECT_EQ(property(conf.get(), "client.id"), "einlass");
  EXPECT_EQ(property(conf.get(), "isolation.level"), "read_committed");
  EXPECT_EQ(property(conf.get(), "queued.max.messages.kbytes"), "1024");
}

// Else the partitions are gone before a connection that has fallen silent is.
TEST(Configuration, gives_a_silent_connection_up_before_the_session_is_over) {
  const ConfHandle conf = source_configuration(with({}), kOld);
  EXPECT_LT(std::stoi(property(conf.get(), "socket.timeout.ms")),
            std::stoi(property(conf.get(), "session.timeout.ms")));
}

TEST(Configuration, without_an_instance_the_membership_is_dynamic) {
  SourceOptions options = with({});
  options.instance.clear();
  const ConfHandle conf = source_configuration(options, kOld);
  EXPECT_EQ(property(conf.get(), "group.instance.id"), "");
}

TEST(Configuration, the_users_properties_win_over_the_defaults) {
  const ConfHandle conf =
      source_configuration(with({{"session.timeout.ms", "12345"}, {"client.id", "mine"}}), kOld);
  EXPECT_EQ(property(conf.get(), "session.timeout.ms"), "12345");
  EXPECT_EQ(property(conf.get(), "client.id"), "mine");
}

TEST(Configuration, an_unknown_property_is_named) {
  const std::string error = refused(with({{"no.such.thing", "1"}}));
  EXPECT_NE(error.find("kafka.properties.no.such.thing"), std::string::npos) << error;
}

TEST(Configuration, a_wrong_value_is_named_with_its_property) {
  const std::string error = refused(with({{"session.timeout.ms", "soon"}}));
  EXPECT_NE(error.find("kafka.properties.session.timeout.ms"), std::string::npos) << error;
  EXPECT_NE(error.find("; it takes 1 .. 3600000"), std::string::npos) << error;
}

TEST(Configuration, the_value_of_a_secret_is_never_repeated) {
  for (const char* name : {"sasl.oauthbearer.method", "enable.sasl.oauthbearer.unsecure.jwt"}) {
    const std::string error = refused(with({{name, "hunter2"}}));
    EXPECT_NE(error.find(name), std::string::npos) << error;
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
  }
}

TEST(Configuration, what_would_break_a_promise_is_refused) {
  EXPECT_NE(refusal("statistics.interval.ms", "0", rd_kafka_version()), "");
  for (const char* name :
       {"auto.offset.reset", "enable.auto.commit", "enable.auto.offset.store",
        "enable.partition.eof", "group.id", "group.instance.id", "bootstrap.servers",
        "metadata.broker.list", "auto.commit.enable", "enable.idempotence", "acks",
        "transactional.id", "delivery.report.only.error"}) {
    const std::string error = refused(with({{name, "false"}}));
    EXPECT_NE(error.find(std::string("kafka.properties.") + name), std::string::npos) << error;
    EXPECT_NE(error.find("cannot be set"), std::string::npos) << error;
  }
}

TEST(Configuration, checksums_are_not_checked_by_what_loses_its_place_then) {
  const std::string error = refused(with({{"check.crcs", "true"}}));
  EXPECT_NE(error.find("kafka.properties.check.crcs: only false"), std::string::npos) << error;
  EXPECT_EQ(refused(with({{"check.crcs", "false"}})), "accepted");
}

TEST(Configuration, cooperative_needs_a_librdkafka_that_can) {
  const std::string error =
      refused(with({{"partition.assignment.strategy", "cooperative-sticky"}}), kOld);
  EXPECT_NE(error.find("2.10.1"), std::string::npos) << error;
  EXPECT_NE(error.find("2.0.2"), std::string::npos) << error;
  EXPECT_EQ(refused(with({{"partition.assignment.strategy", "cooperative-sticky"}}), kNew),
            "accepted");
  EXPECT_EQ(refused(with({{"partition.assignment.strategy", "roundrobin"}}), kOld), "accepted");
}

TEST(Configuration, the_drain_must_end_before_the_brokers_stop_waiting) {
  SourceOptions options = with({{"max.poll.interval.ms", "60000"}});
  options.revoke_timeout = Duration::seconds(57);
  EXPECT_EQ(refused(options), "accepted");
  options.revoke_timeout = Duration::seconds(58);
  EXPECT_NE(refused(options).find("revoke_timeout"), std::string::npos);
}

TEST(Configuration, properties_of_the_other_kind_are_checked_and_left_out) {
  const SourceOptions options = with({{"linger.ms", "77"}, {"fetch.wait.max.ms", "33"}});
  const ConfHandle source = source_configuration(options, kOld);
  EXPECT_EQ(property(source.get(), "fetch.wait.max.ms"), "33");
  EXPECT_NE(property(source.get(), "linger.ms"), "77");
  const ConfHandle dead = dead_letters_configuration({options.brokers, options.properties});
  EXPECT_EQ(property(dead.get(), "linger.ms"), "77");
  EXPECT_NE(property(dead.get(), "fetch.wait.max.ms"), "33");
  EXPECT_NE(refused(with({{"linger.ms", "often"}})).find("linger.ms"), std::string::npos);
}

TEST(Configuration, dead_letters_are_idempotent_and_acknowledged_by_all) {
  const ConfHandle conf = dead_letters_configuration({"127.0.0.1:9", {}});
  EXPECT_EQ(property(conf.get(), "enable.idempotence"), "true");
  EXPECT_EQ(property(conf.get(), "message.timeout.ms"), "30000");
  EXPECT_EQ(property(conf.get(), "queue.buffering.max.messages"), "10000");
}

// Whatever the user gives dead letters.
TEST(Configuration, what_people_write_into_the_table_is_given_up_soon) {
  const ConfHandle conf = fleet_table_configuration(
      {"127.0.0.1:9", {{"message.timeout.ms", "120000"}, {"linger.ms", "5000"}}});
  EXPECT_EQ(property(conf.get(), "message.timeout.ms"), "3000");
  EXPECT_EQ(property(conf.get(), "linger.ms"), "0");
  EXPECT_EQ(property(conf.get(), "enable.idempotence"), "true");
}

TEST(Configuration, scram_with_an_old_librdkafka_is_warned_of) {
  const SourceOptions options = with({{"security.protocol", "sasl_plaintext"},
                                      {"sasl.mechanisms", "SCRAM-SHA-256"},
                                      {"sasl.username", "gate"},
                                      {"sasl.password", "hunter2"}});
  const ConfHandle conf = source_configuration(options, kOld);
  std::vector<Notice> notices;
  const Notify keep = [&](const Notice& notice) { notices.push_back(notice); };
  warn_of_known_trouble(conf.get(), kNew, keep);
  EXPECT_TRUE(notices.empty());
  warn_of_known_trouble(conf.get(), kOld, keep);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].what, "kafka_old_scram");
  EXPECT_EQ(notices[0].detail.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace einlass::kafka
