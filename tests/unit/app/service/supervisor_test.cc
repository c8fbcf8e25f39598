#include "app/service/supervisor.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace einlass::app {
namespace {

// The service manager's end of the socket, and the variables that it sets for the process.
class SupervisorTest : public testing::Test {
 protected:
  void SetUp() override { unset(); }

  void TearDown() override {
    unset();
    if (socket_ >= 0) close(socket_);
    if (!path_.empty()) unlink(path_.c_str());
  }

  static void unset() {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
  }

  // REQUIRES: not called before. A name that begins with @ is abstract.
  void listen(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (name[0] == '@') address.sun_path[0] = '\0';
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    if (name[0] == '/') path_ = name;
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }

  // The next message, or nothing if there is none.
  std::string heard() const {
    char text[8'192];
    const ssize_t size = recv(socket_, text, sizeof(text), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

  static std::string some_path() {
    return testing::TempDir() + "einlass-notify-" + std::to_string(getpid());
  }

 private:
  int socket_ = -1;
  std::string path_;
};

TEST_F(SupervisorTest, WithoutOneNothingHappens) {
  const Supervisor supervisor;
  supervisor.ready("running");
  supervisor.alive();
  EXPECT_FALSE(supervisor.watchdog_period());
}

// systemd throws longer datagrams away, and what is not UTF-8.
TEST_F(SupervisorTest, ALongStatusIsCutAtACharacter) {
  listen(some_path());
  const Supervisor supervisor;
  std::string status = "x";
  for (int i = 0; i < 3'000; ++i) status += "\u00e4";
  supervisor.status(status);
  EXPECT_EQ(heard(), "STATUS=" + status.substr(0, 999));
}

TEST_F(SupervisorTest, SaysEachThingInItsWords) {
  listen(some_path());
  const Supervisor supervisor;
  supervisor.ready("running");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=running");
  supervisor.reloading();
  EXPECT_EQ(heard().rfind("RELOADING=1\nMONOTONIC_USEC=", 0), 0u);
  supervisor.alive();
  EXPECT_EQ(heard(), "WATCHDOG=1");
  supervisor.stopping(Duration::seconds(25));
  EXPECT_EQ(heard(), "STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=25000000");
  EXPECT_EQ(heard(), "");
}

TEST_F(SupervisorTest, ASocketMayHaveNoPlaceInTheFileSystem) {
  listen("@einlass-notify-" + std::to_string(getpid()));
  const Supervisor supervisor;
  supervisor.alive();
  EXPECT_EQ(heard(), "WATCHDOG=1");
}

TEST_F(SupervisorTest, ALineBreakInAStatusBeginsNoOtherAssignment) {
  listen(some_path());
  const Supervisor supervisor;
  supervisor.ready("one\nSTOPPING=1\n");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=one STOPPING=1");
}

TEST_F(SupervisorTest, AManagerThatIsGoneIsNoTrouble) {
  setenv("NOTIFY_SOCKET", some_path().c_str(), 1);
  const Supervisor supervisor;
  supervisor.ready("running");
}

TEST_F(SupervisorTest, WhatIsNoSocketIsNotOne) {
  for (const std::string& name :
       {std::string("relative"), std::string("/") + std::string(200, 'x')}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    const Supervisor supervisor;
    supervisor.ready("running");
  }
}

TEST_F(SupervisorTest, IsAliveTwiceInTheTimeAllowed) {
  listen(some_path());
  setenv("WATCHDOG_USEC", "20000000", 1);
  EXPECT_EQ(Supervisor().watchdog_period(), Duration::seconds(10));
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_EQ(Supervisor().watchdog_period(), Duration::seconds(10));
}

TEST_F(SupervisorTest, AWatchdogForSomebodyElseIsNotOurs) {
  listen(some_path());
  setenv("WATCHDOG_USEC", "20000000", 1);
  setenv("WATCHDOG_PID", std::to_string(getppid()).c_str(), 1);
  EXPECT_FALSE(Supervisor().watchdog_period());
}

TEST_F(SupervisorTest, OddTimesMeanNoWatchdog) {
  listen(some_path());
  for (const char* odd : {"", "0", "-5", "10s", "99999999999999999999"}) {
    setenv("WATCHDOG_USEC", odd, 1);
    EXPECT_FALSE(Supervisor().watchdog_period()) << odd;
  }
}

}  // namespace
}  // namespace einlass::app
