// A real server program on a port of this test's own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/scripted_server.h"
#include "adapters/server_process.h"
#include "adapters/temporary_directory.h"

namespace einlass::http::testing {

inline std::uint16_t free_port() {
  std::uint16_t port = 0;
  ::close(listen_on_free_port(port));
  return port;
}

class RealServer {
 public:
  // Returns when it has printed `sign`, by which it says that it listens; a failure of the test
  // if it ends first or takes too long.
  RealServer(std::vector<std::string> command, std::string_view sign)
      : process_{std::move(command), directory_.file("log")} {
    EXPECT_TRUE(process_.says(sign)) << "it does not come up: " << process_.log();
  }

 private:
  adapters::testing::TemporaryDirectory directory_;
  adapters::testing::ServerProcess process_;
};

}  // namespace einlass::http::testing
