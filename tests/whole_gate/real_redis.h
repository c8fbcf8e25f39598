// A real redis-server whose clock is a world's: what the scripts answer is not simulated.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/server_process.h"
#include "adapters/temporary_directory.h"
#include "whole_gate/kernel.h"
#include "whole_gate/resp.h"

namespace einlass::whole {

// REQUIRES: made while there is no kernel, which would answer instead of the system.
class RealRedis {
 public:
  // `clock` is the library to preload (redis_clock.c). Throws std::runtime_error.
  explicit RealRedis(const std::string& clock);
  ~RealRedis();
  RealRedis(const RealRedis&) = delete;
  RealRedis& operator=(const RealRedis&) = delete;

  // The whole reply, as it is on the wire, at that time of its clock.
  std::string ask(const Words& command, Micros now);

 private:
  adapters::testing::TemporaryDirectory folder_;
  volatile std::int64_t* const clock_;
  adapters::testing::ServerProcess server_;
  int socket_ = -1;
};

}  // namespace einlass::whole
