// A login at Kafka with tokens or with a password out of a file: what is told of it, and when.
#include "app/setup/kafka_logins.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/file/read_config.h"
#include "unit/config/files.h"

namespace einlass::app {
namespace {

// Answers each ask at once.
struct InventedSource final : TokenSource {
  explicit InventedSource(Done to) : done(std::move(to)) {}

  void ask() override { done(answer); }
  bool is_asking() const override { return false; }
  bool look() override { return false; }
  std::string trouble() const override { return file; }
  void was_refused() override {}
  std::string principal() const override { return "gate"; }
  std::string in_words() const override { return "token from login.example"; }

  Done done;
  http::TokenAnswer answer{"abc", Duration::seconds(300), ""};
  std::string file;
};

struct InventedLogin {
  InventedSource* source = nullptr;
  std::vector<std::string> told;
  KafkaLogin login{"kafka.oauth",
                   [this](TokenSource::Done done) {
                     auto made = std::make_unique<InventedSource>(std::move(done));
                     source = made.get();
                     return made;
                   },
                   [this](const Notice& notice) { told.push_back(notice.what + " " + notice.detail); }};
};

TEST(KafkaLogin, a_secret_that_cannot_be_read_is_told_while_the_token_is_good) {
  InventedLogin kafka;
  kafka.login.look();
  EXPECT_TRUE(kafka.told.empty());
  kafka.source->file = "/etc/secret: cannot be read";
  kafka.login.look();
  kafka.login.look();
  ASSERT_EQ(kafka.told.size(), 1u);
  EXPECT_EQ(kafka.told[0],
            "kafka_login_failing kafka.oauth: no new token from login.example: /etc/secret: cannot "
            "be read (the gate keeps asking)");
  EXPECT_TRUE(kafka.login.login()->trouble().empty()) << "it still logs in";
  kafka.source->file.clear();
  kafka.login.look();
  ASSERT_EQ(kafka.told.size(), 2u);
  EXPECT_EQ(kafka.told[1], "kafka_login_ok kafka.oauth: works again");
}

TEST(KafkaLogin, without_a_token_it_tells_why_and_not_of_the_file) {
  InventedLogin kafka;
  kafka.source->answer = {"", std::nullopt, "status 503"};
  kafka.source->file = "/etc/secret: cannot be read";
  kafka.login.look();
  ASSERT_EQ(kafka.told.size(), 1u);
  EXPECT_EQ(kafka.told[0],
            "kafka_login_failing kafka.oauth: no token from login.example: status 503 (the gate "
            "keeps asking)");
  EXPECT_NE(kafka.login.login()->trouble().find("status 503"), std::string::npos);
}

// The password of a file that is renewed while clients log in with it.
struct RenewedPassword {
  config::TemporaryFile file{"first"};
  std::vector<std::string> told;
  KafkaPassword password{
      "kafka.properties.sasl.password_file",
      {"gate", {"first", file.path()}},
      [this](const Notice& notice) { told.push_back(notice.what + " " + notice.detail); }};
};

TEST(KafkaPassword, that_is_renewed_is_told_once) {
  RenewedPassword one;
  one.password.look();
  EXPECT_TRUE(one.told.empty());
  one.file.write("the second");
  one.password.look();
  one.password.look();
  EXPECT_EQ(one.told, std::vector<std::string>{
                          "kafka_login_renewed kafka.properties.sasl.password_file: clients log in "
                          "with another password from now on"});
}

TEST(KafkaPassword, that_is_no_password_is_told_and_changes_nothing) {
  RenewedPassword one;
  one.file.write("");
  one.password.look();
  one.password.look();
  EXPECT_EQ(one.told,
            std::vector<std::string>{
                "kafka_login_failing kafka.properties.sasl.password_file: " + one.file.path() +
                " cannot be used, and the old value stays in use: it is empty"});
  EXPECT_EQ(one.password.login()->trouble(), "");
  one.file.write("first");
  one.password.look();
  ASSERT_EQ(one.told.size(), 2u);
  EXPECT_EQ(one.told[1], "kafka_login_ok kafka.properties.sasl.password_file: works again");
}

config::Config config_with(const std::string& kafka, const std::string& targets) {
  auto read = config::parse_config(
      "kafka: {" + kafka + "}\ntargets: {" + targets +
          "}\nroutes: [{name: r, topics: [x], target: a}, {name: s, topics: [y], target: b}]\n",
      "gate.yaml", [](const std::string&) { return std::optional<std::string>(); });
  return std::get<config::Config>(read);
}

TEST(KafkaLogins, share_a_password_where_they_are_the_same) {
  const config::TemporaryFile file("hush");
  const std::string named = "sasl.password_file: " + file.path();
  boost::asio::io_context io;
  const KafkaLogins logins(
      io,
      config_with("properties: {sasl.username: gate, " + named + "}",
                  "a: {kafka: {topic: t}}, b: {kafka: {topic: u, properties: {sasl.username: "
                  "another, " +
                      named + "}}}"),
      [](const Notice&) {});
  ASSERT_NE(logins.of_source(), nullptr);
  EXPECT_EQ(logins.of_source()->by(), kafka::Login::By::password);
  EXPECT_EQ(logins.of_target(0), logins.of_source());
  EXPECT_NE(logins.of_target(1), nullptr);
  EXPECT_NE(logins.of_target(1), logins.of_source());
}

TEST(KafkaLogins, are_none_where_the_properties_say_all_of_it) {
  boost::asio::io_context io;
  const KafkaLogins logins(io,
                           config_with("properties: {sasl.password: p}",
                                       "a: {kafka: {topic: t}}, b: {http: {url: 'http://h/'}}"),
                           [](const Notice&) {});
  EXPECT_EQ(logins.of_source(), nullptr);
  EXPECT_EQ(logins.of_target(0), nullptr);
  EXPECT_EQ(logins.of_target(1), nullptr);
}

}  // namespace
}  // namespace einlass::app
