// The calls that were sent and not answered, in the order in which Redis will answer them.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "adapters/redis/calls/line.h"
#include "adapters/redis/calls/script_calls.h"
#include "core/contract/command.h"

namespace einlass::redis {

using Steady = std::chrono::steady_clock;

// More are not opened: the server is far behind by then.
inline constexpr std::size_t kMaxOpenCalls = 65'536;

// How a script is called.
struct Manner {
  CallBy by = CallBy::digest;
  Return why = Return::unused;    // Of a release.
  bool asking = false;            // Of a node to which the slot is only on its way.
  bool unremembered = false;      // An ask: what is granted cannot be told again.
  std::uint8_t redirections = 0;  // How often a node of a cluster has sent it elsewhere.
};

struct Call {
  enum class Kind : std::uint8_t { login, role, ping, asking, acquire, release, reopen, wait, holds };

  Kind kind = Kind::ping;
  Manner manner{};
  bool late = false;          // Its time is over; an ask has failed by then.
  bool looks = false;         // Of reopen: it forgets nothing.
  std::uint16_t permits = 0;  // Of a release: how many it gives back.
  std::uint64_t number = 0;   // Rises with each call of the node.
  Steady::time_point sent{};
  LinePtr line{};           // Of acquire, release and reopen.
  core::Ask ask{};          // Of acquire; its costs and flows live as long as it is open.
  std::uint8_t levels = 0;  // Of an ask for flows, ...
  std::uint16_t flows = 0;  // ... and how many it names.
};

// A queue that grows to the most it ever held and allocates nothing from then on.
template <class Element>
class Ring {
 public:
  bool empty() const { return ring_.empty(); }
  std::size_t size() const { return ring_.size(); }
  Element& operator[](std::size_t index) { return ring_[index]; }
  Element& front() { return ring_.front(); }

  void push(Element element) {
    if (ring_.full()) ring_.set_capacity(std::max<std::size_t>(64, 2 * ring_.capacity()));
    ring_.push_back(std::move(element));
  }

  Element pop() {
    Element element = std::move(ring_.front());
    ring_.pop_front();
    return element;
  }

  void clear() { ring_.clear(); }

 private:
  boost::circular_buffer<Element> ring_;
};

// Calls in order; the late ones are always in front, because all have the same time.
class OpenCalls {
 public:
  bool empty() const { return calls_.empty(); }
  std::size_t size() const { return calls_.size(); }
  bool full() const { return calls_.size() >= kMaxOpenCalls; }
  std::size_t late() const { return late_; }
  Call& operator[](std::size_t index) { return calls_[index]; }
  Call& front() { return calls_.front(); }

  void push(Call call) { calls_.push(std::move(call)); }

  Call pop() {
    if (late_ > 0) --late_;
    return calls_.pop();
  }

  // The oldest call that is not late. REQUIRES: late() < size().
  Call& oldest_in_time() { return calls_[late_]; }
  Call& mark_late() {
    Call& call = calls_[late_++];
    call.late = true;
    return call;
  }

  void clear() {
    calls_.clear();
    late_ = 0;
  }

 private:
  Ring<Call> calls_;
  std::size_t late_ = 0;
};

}  // namespace einlass::redis
