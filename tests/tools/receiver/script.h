// How the receiver answers, as it was last told.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::tools {

// What to do with one request.
struct Answer {
  enum class Kind { now, later, hold, reset } kind = Kind::now;
  int status = 200;
  std::int64_t delay_us = 0;  // For `later`.
};

// Told by JSON:
//   {"mode": "ok"}
//   {"mode": "status", "status": 503, "retry_after": "2"}
//   {"mode": "delay", "delay_ms": 100}        the answer comes that much later
//   {"mode": "hang"}                          no answer until the mode changes; then all at once
//   {"mode": "reset"}                         the connection is reset
//   {"mode": "refuse"}                        nobody listens, and open connections are closed
//   {"mode": "mix", "seed": 1, "percent": 20, "statuses": [500, 429]}   some at random, the rest ok
// and in each {"for_ms": 5000}: back to ok after that time; {"keys": "dead"}: only records whose key
// begins with that, the rest ok; {"bodies": "bad"}: the same of what they hold; {"times": 3}: only the
// first three of these.
class Script {
 public:
  // Throws std::runtime_error or nlohmann's for what is not understood, and changes nothing then.
  void tell(const std::string& json, std::int64_t now_us);

  // Ends a mode whose time is over; true if that happened.
  bool expire(std::int64_t now_us);

  Answer answer(std::string_view key, std::string_view body);

  bool refusing() const { return mode_ == Mode::refuse; }
  bool holding() const { return mode_ == Mode::hang; }
  std::int64_t until_us() const { return until_us_; }  // 0: until told otherwise.
  const std::string& retry_after() const { return retry_after_; }

 private:
  enum class Mode { ok, status, delay, hang, reset, refuse, mix };

  static Mode mode_named(std::string_view name);

  Mode mode_ = Mode::ok;
  int status_ = 503;
  std::int64_t delay_us_ = 0, until_us_ = 0;
  std::int64_t times_left_ = -1;  // Less than 0: no matter how many.
  unsigned percent_ = 0;
  std::vector<int> statuses_;
  std::string retry_after_, keys_, bodies_;
  std::mt19937_64 random_;
};

}  // namespace einlass::tools
