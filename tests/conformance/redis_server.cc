#include "conformance/redis_server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace einlass::conformance {
namespace {

constexpr std::chrono::seconds kStartWithin{20};

std::string temporary_folder() {
  std::string name = "/tmp/einlass-conformance-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return name;
}

[[noreturn]] void become_server(const std::string& folder, const std::string& socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = open((folder + "/log").c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--save",
         "", "--appendonly", "no", "--dir", folder.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

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

RedisServer::RedisServer() : folder_(temporary_folder()) {
  pid_ = fork();
  if (pid_ == 0) become_server(folder_, folder_ + "/socket");
  connect();
}

RedisServer::~RedisServer() {
  if (context_ != nullptr) redisFree(context_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::connect() {
  const auto deadline = std::chrono::steady_clock::now() + kStartWithin;
  while (std::chrono::steady_clock::now() < deadline) {
    context_ = redisConnectUnix((folder_ + "/socket").c_str());
    if (context_ != nullptr && context_->err == 0) {
      const Reply pong = call({"PING"});
      if (pong && pong->type == REDIS_REPLY_STATUS) return;
    }
    if (context_ != nullptr) redisFree(context_);
    context_ = nullptr;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw std::runtime_error("redis-server does not answer");
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
