// A real redis-server in a directory of its own, on a free port; gone with this object.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/eventually.h"
#include "adapters/server_process.h"
#include "adapters/temporary_directory.h"

namespace einlass::redis::testing {

using adapters::testing::eventually;

// A node of a cluster listens there too.
inline constexpr int kClusterBusOffset = 10'000;

inline bool is_free(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return bound;
}

// Below those that servers.py gives out, which are somebody's also while nobody listens.
inline std::uint16_t free_port() {
  static std::mt19937 random{std::random_device{}()};
  for (;;) {
    const auto port =
        static_cast<std::uint16_t>(std::uniform_int_distribution<int>(10'000, 19'999)(random));
    if (is_free(port) && is_free(static_cast<std::uint16_t>(port + kClusterBusOffset))) return port;
  }
}

using adapters::testing::TemporaryDirectory;

// A second, blocking client: what the test itself says to the server.
class Control {
 public:
  explicit Control(std::uint16_t port) : context_(redisConnect("127.0.0.1", port), redisFree) {}

  bool connected() const { return context_ && !context_->err; }

  // The answer as text ("(nil)" for none, "(error) ..." for an error, "(lost)" for no answer).
  std::string operator()(const std::vector<std::string>& command) {
    return text(ask(command).get());
  }

  // Of an answer that is a list: how many it has, and one of them ("" where it has not so many).
  std::size_t elements(const std::vector<std::string>& command) {
    const Answer answer = ask(command);
    return answer && answer->type == REDIS_REPLY_ARRAY ? answer->elements : 0;
  }
  std::string element(const std::vector<std::string>& command, std::size_t index) {
    const Answer answer = ask(command);
    const bool has = answer && answer->type == REDIS_REPLY_ARRAY && answer->elements > index;
    return has ? text(answer->element[index]) : "";
  }

 private:
  using Answer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

  Answer ask(const std::vector<std::string>& command) {
    std::vector<const char*> words;
    std::vector<std::size_t> sizes;
    for (const auto& word : command) {
      words.push_back(word.data());
      sizes.push_back(word.size());
    }
    void* answer = redisCommandArgv(context_.get(), static_cast<int>(words.size()), words.data(),
                                    sizes.data());
    return {static_cast<redisReply*>(answer), freeReplyObject};
  }

  static std::string text(const redisReply* reply) {
    if (!reply) return "(lost)";
    if (reply->type == REDIS_REPLY_INTEGER) return std::to_string(reply->integer);
    if (reply->type == REDIS_REPLY_ERROR) return "(error) " + std::string(reply->str, reply->len);
    if (reply->type == REDIS_REPLY_NIL) return "(nil)";
    return std::string(reply->str ? reply->str : "", reply->len);
  }

  std::unique_ptr<redisContext, decltype(&redisFree)> context_;
};

// Of the program that `redis-server` names: "Redis server v=7.0.15 ..." or "Valkey server v=8.1.1".
inline int major_version() {
  static const int version = [] {
    FILE* said = popen("redis-server --version", "r");
    int major = 0;
    if (said && std::fscanf(said, "%*s server v=%d", &major) != 1) major = 0;
    if (said) pclose(said);
    return major;
  }();
  return version;
}

class RedisServer {
 public:
  // What it says, in every version, when it listens wherever it was told to.
  static constexpr std::string_view kReady = "Ready to accept connections";
  static constexpr std::string_view kSentinelReady = "Sentinel ID is";

  // With a file it is a Sentinel that begins with what stands there.
  explicit RedisServer(std::vector<std::string> arguments = {}, std::string sentinel_file = "")
      : arguments_(std::move(arguments)), sentinel_file_(std::move(sentinel_file)) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      port_ = free_port();
      if (start()) return;
    }
    throw std::runtime_error("redis-server does not start");
  }
  ~RedisServer() { kill(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::uint16_t port() const { return port_; }

  // On the port it had, empty.
  bool start() {
    std::vector<std::string> words = {"redis-server"};
    if (!sentinel_file_.empty()) words.push_back(sentinel_file_);
    words.insert(words.end(), {"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
                               directory_.file("")});
    if (!sentinel_file_.empty()) words.push_back("--sentinel");
    if (std::find(arguments_.begin(), arguments_.end(), "--tls-port") == arguments_.end()) {
      words.insert(words.end(), {"--port", std::to_string(port_)});
    } else {
      words.insert(words.end(), {"--port", "0"});
    }
    // Before 7 it was always so, and to say it was an error.
    if (major_version() >= 7) words.insert(words.end(), {"--enable-debug-command", "local"});
    for (const auto& word : arguments_) {
      words.push_back(word == "PORT" ? std::to_string(port_) : word);
    }
    process_ = std::make_unique<adapters::testing::ServerProcess>(std::move(words),
                                                                  directory_.file("log"));
    // One that cannot have all of its ports ends after it has listened on the first.
    if (process_->says(sentinel_file_.empty() ? kReady : kSentinelReady)) return true;
    kill();
    return false;
  }

  void kill() { process_.reset(); }
  // What is told to save cannot.
  void lose_directory() { std::filesystem::remove_all(directory_.file("")); }
  void freeze() { process_->kill(SIGSTOP); }
  void thaw() { process_->kill(SIGCONT); }

 private:
  TemporaryDirectory directory_;
  std::vector<std::string> arguments_;
  std::string sentinel_file_;
  std::uint16_t port_ = 0;
  std::unique_ptr<adapters::testing::ServerProcess> process_;
};

}  // namespace einlass::redis::testing
