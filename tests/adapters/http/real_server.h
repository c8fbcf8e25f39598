// A real server program in the foreground, which dies with us.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "adapters/http/scripted_server.h"

namespace einlass::http::testing {

inline std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(listen_on_free_port(port));
  return port;
}

inline bool answers(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool connected = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  ::close(fd);
  return connected;
}

class RealServer {
 public:
  // Returns when something listens on `port`, or after ten seconds (a failure of the test).
  RealServer(std::vector<std::string> command, std::uint16_t port) : command_{std::move(command)} {
    std::vector<char*> arguments;
    for (std::string& word : command_) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      const int nowhere = open("/dev/null", O_RDWR);
      for (const int fd : {0, 1, 2}) dup2(nowhere, fd);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!answers(port) && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(answers(port)) << command_[0] << " does not come up";
  }
  ~RealServer() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;

 private:
  std::vector<std::string> command_;
  pid_t pid_ = -1;
};

}  // namespace einlass::http::testing
