#include "core/contract/standing.h"

namespace einlass::core {

Cause cause_of(WaitsFor waits) {
  switch (waits) {
    case WaitsFor::order:
      return Cause::order;
    case WaitsFor::permit:
    case WaitsFor::fresh_records:  // At a limit that others ask first.
    case WaitsFor::other_limits:
      return Cause::limit;
    case WaitsFor::outage:
      return Cause::outage;
    case WaitsFor::turn:
    case WaitsFor::room:
    case WaitsFor::company:
    case WaitsFor::hold:
    case WaitsFor::probe:
      return Cause::target;
    case WaitsFor::pause:
      return Cause::paused;
    case WaitsFor::retry:
    case WaitsFor::dead_letter:
      return Cause::retry;
    case WaitsFor::not_before:
      return Cause::not_before;
    case WaitsFor::answer:
    case WaitsFor::acknowledgement:
      return Cause::in_flight;
  }
  return Cause::order;
}

}  // namespace einlass::core
