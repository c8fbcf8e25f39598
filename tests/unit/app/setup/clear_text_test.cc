#include "app/setup/clear_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/file/read_config.h"
#include "unit/config/files.h"

namespace einlass::app {
namespace {

config::Config with_password() {
  config::Config config;
  config.limits.resize(1);
  config.limits[0].store = config::Store::redis;
  config.routes.resize(1);
  config.routes[0].limits = {0};
  config.redis.host = "redis.example";
  config.redis.password.value = "secret";
  return config;
}

// What stands in files that only a pod has, written in their place.
std::string with_secrets(std::string text) {
  constexpr std::string_view kFile = "_file: /run/secrets";
  for (std::size_t at = 0; (at = text.find(kFile, at)) != std::string::npos;) {
    text.replace(at, text.find_first_of(" \n", at + kFile.size()) - at, ": hunter2");
  }
  return text;
}

TEST(ClearText, a_password_of_redis_that_leaves_the_machine_without_tls_is_told) {
  EXPECT_EQ(redis_in_the_clear(with_password()),
            "the password of Redis goes over the network in the clear to redis.example:6379; write "
            "a rediss:// URL if others may read along there");
  config::Config sentinel = with_password();
  sentinel.redis.sentinel.emplace().addresses = {{"127.0.0.1", 26379}, {"10.0.0.1", 26379}};
  EXPECT_NE(redis_in_the_clear(sentinel).find("10.0.0.1:26379"), std::string::npos);
  config::Config quotas = with_password();
  quotas.limits[0].store = config::Store::memory;
  quotas.quotas.emplace().redis = true;
  EXPECT_NE(redis_in_the_clear(quotas), "");
}

TEST(ClearText, what_nobody_can_read_along_is_not) {
  config::Config config = with_password();
  config.redis.tls = true;
  EXPECT_EQ(redis_in_the_clear(config), "");
  config = with_password();
  config.redis.password = {};
  EXPECT_EQ(redis_in_the_clear(config), "");
  config = with_password();
  config.limits[0].store = config::Store::memory;
  EXPECT_EQ(redis_in_the_clear(config), "");
  config = with_password();
  config.routes[0].limits.clear();
  EXPECT_EQ(redis_in_the_clear(config), "") << "nothing connects to it";
  config.quotas.emplace().topic = "quotas";
  EXPECT_EQ(redis_in_the_clear(config), "");
  for (const char* host : {"127.0.0.1", "::1", "localhost", "/run/redis.sock"}) {
    config = with_password();
    config.redis.host = host;
    EXPECT_EQ(redis_in_the_clear(config), "") << host;
  }
  config.redis.sentinel.emplace().addresses = {{"localhost", 26379}};
  EXPECT_EQ(redis_in_the_clear(config), "");
}

TEST(ClearText, nothing_does_where_the_overlay_for_production_is_deployed) {
  const auto path = config::project() / "deploy/kubernetes/overlays/production/gate.yaml";
  const std::string text = with_secrets(config::contents(path));
  const auto read = config::parse_config(text, "F", [](const std::string&) { return "gate-1"; });
  const auto* config = std::get_if<config::Config>(&read);
  ASSERT_NE(config, nullptr) << std::get<config::Mistakes>(read).front().to_string();
  EXPECT_EQ(config->redis.password.value, "hunter2");
  EXPECT_EQ(redis_in_the_clear(*config), "");
}

}  // namespace
}  // namespace einlass::app
