// For what servers come to among themselves, of which none gives a sign.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace einlass::adapters::testing {

inline bool eventually(const std::function<bool()>& condition,
                       std::chrono::milliseconds limit = std::chrono::seconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace einlass::adapters::testing
