// A real redis-server whose clock is a world's: what the scripts answer is not simulated.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "whole_gate/kernel.h"
#include "whole_gate/resp.h"

namespace einlass::whole {

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
  void start(const std::string& clock);
  void connect();

  std::filesystem::path folder_;
  volatile std::int64_t* clock_ = nullptr;
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace einlass::whole
