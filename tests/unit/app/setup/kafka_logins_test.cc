// A login at Kafka with tokens: what is told of it, and when.
#include "app/setup/kafka_logins.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  EXPECT_TRUE(kafka.login.tokens()->trouble().empty()) << "it still logs in";
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
  EXPECT_NE(kafka.login.tokens()->trouble().find("status 503"), std::string::npos);
}

}  // namespace
}  // namespace einlass::app
