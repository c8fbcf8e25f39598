// A Redis server of this test alone, on a socket file in a folder of its own; gone with the object.
#pragma once

#include <hiredis/hiredis.h>
#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::conformance {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class RedisServer {
 public:
  // Starts the server and waits until it answers. Throws std::runtime_error if it never does.
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
  void connect();

  std::string folder_;
  pid_t pid_ = -1;
  redisContext* context_ = nullptr;
};

}  // namespace einlass::conformance
