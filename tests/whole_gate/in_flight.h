// How many attempts are before each target at once, as far as the gate surely waits for them still.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "whole_gate/kernel.h"
#include "whole_gate/wire.h"

namespace einlass::whole {

class InFlight {
 public:
  // `records`: what a limit on attempts allows under way, in however many requests; 0: there is
  // none.
  InFlight(Kernel& kernel, std::uint64_t records) : kernel_(kernel), most_records_(records) {}

  // The gate is told how many requests may be in flight. What it began under a larger number goes
  // on, so the largest counts.
  void allow(std::uint64_t requests);

  // A target, by its path, has all of a request, for which the gate waits until then at least, if
  // nothing ends it. Throws Broken if these are too many.
  void began(std::size_t request, const std::string& target, std::size_t records, Micros until,
             std::weak_ptr<Wire> wire);

  // The gate may know that it is over.
  void over(std::size_t request) { open_.erase(request); }

 private:
  struct Open {
    std::string target;
    std::size_t records;
    Micros until;
    std::weak_ptr<Wire> wire;
  };

  void forget_ended();

  Kernel& kernel_;
  const std::uint64_t most_records_;
  std::uint64_t most_requests_ = 0;
  std::map<std::size_t, Open> open_;  // By the request's number.
};

}  // namespace einlass::whole
