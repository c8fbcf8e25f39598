// A Redis server of this test alone, on a socket file in a folder of its own; gone with the object.
#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/server_process.h"
#include "adapters/temporary_directory.h"

namespace einlass::conformance {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class RedisServer {
 public:
  // Starts the server and waits until it listens. Throws std::runtime_error if it does not come up.
  RedisServer();
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // Sends one command and waits for its reply, which may be an error.
  Reply call(std::span<const std::string> command);
  Reply call(std::initializer_list<std::string> command) {
    return call(std::span<const std::string>(command.begin(), command.size()));
  }

  // Sends them all at once, then waits for all replies, which may be errors.
  std::vector<Reply> exchange(std::span<const std::vector<std::string>> commands);

  // The same; an error is a std::runtime_error.
  void pipeline(std::span<const std::vector<std::string>> commands);

 private:
  adapters::testing::TemporaryDirectory folder_;
  adapters::testing::ServerProcess process_;
  redisContext* context_ = nullptr;
};

}  // namespace einlass::conformance
