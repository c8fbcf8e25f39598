// How a target does, as the metrics and /v1/status show it.
#pragma once

#include <cstddef>
#include <string>

namespace einlass {

struct TargetStatus {
  std::size_t in_flight = 0;
  std::size_t connections = 0;  // Of a kind that is told of them.
  std::string trouble{};   // Why the last attempt failed, as "connection refused (127.0.0.1:8080)"
                           // or "status 503"; empty since one was accepted.
  std::string unusable{};  // Why it can take nothing before somebody acts, as "the topic results is
                           // not there"; empty if nothing says so. The gate is not ready then.
  bool by_attempt = false;  // `unusable` is what an attempt came to: only another one can say that
                            // it is over.
  std::string warning{};   // What works, but not as it should; empty: nothing.
};

}  // namespace einlass
