// A store beside a server that all tests of a suite have, and that each finds empty.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_server.h"

namespace einlass::redis::testing {

class RedisStore : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new RedisServer; }
  static void TearDownTestSuite() { delete std::exchange(server_, nullptr); }

  void SetUp() override {
    ASSERT_EQ(control("FLUSHALL"), "OK");
    ASSERT_TRUE(side_.until_up());
  }

  template <class... Words>
  std::string control(Words... words) {
    return Control(server_->port())({std::string(words)...});
  }
  void add(std::uint32_t line, const limits::Limit& limit, const std::string& key = "") {
    const Bucket bucket{&limit, key};
    side_.store->add_line({line}, {&bucket, 1});
  }
  void release(std::uint32_t line, core::AskId ask, std::uint16_t index) {
    side_.store->release({{line}, {ask, index, {}}});
  }

  static inline RedisServer* server_ = nullptr;
  GateSide side_{options_for(server_->port())};
};

}  // namespace einlass::redis::testing
