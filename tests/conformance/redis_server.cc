#include "conformance/redis_server.h"

#include <stdexcept>

namespace einlass::conformance {
namespace {

void append(redisContext* context, std::span<const std::string> command) {
  std::vector<const char*> parts;
  std::vector<std::size_t> sizes;
  for (const std::string& part : command) {
    parts.push_back(part.data());
    sizes.push_back(part.size());
  }
  redisAppendCommandArgv(context, static_cast<int>(command.size()), parts.data(), sizes.data());
}

}  // namespace

RedisServer::RedisServer()
    : process_({"redis-server", "--port", "0", "--unixsocket", folder_.file("socket"), "--save", "",
                "--appendonly", "no", "--dir", folder_.file("")},
               folder_.file("log")) {
  // Up to 7.0: "The server is now ready to ... at", then "Ready to ... unix".
  if (!process_.says("eady to accept connections")) {
    throw std::runtime_error("redis-server does not come up: " + process_.log());
  }
  context_ = redisConnectUnix(folder_.file("socket").c_str());
}

RedisServer::~RedisServer() {
  if (context_ != nullptr) redisFree(context_);
}

Reply RedisServer::call(std::span<const std::string> command) {
  append(context_, command);
  void* reply = nullptr;
  redisGetReply(context_, &reply);
  return Reply(static_cast<redisReply*>(reply));
}

std::vector<Reply> RedisServer::exchange(std::span<const std::vector<std::string>> commands) {
  for (const std::vector<std::string>& command : commands) append(context_, command);
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    void* reply = nullptr;
    redisGetReply(context_, &reply);
    if (reply == nullptr) throw std::runtime_error("no reply");
    replies.emplace_back(static_cast<redisReply*>(reply));
  }
  return replies;
}

void RedisServer::pipeline(std::span<const std::vector<std::string>> commands) {
  for (const Reply& reply : exchange(commands)) {
    if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error(reply->str);
  }
}

}  // namespace einlass::conformance
