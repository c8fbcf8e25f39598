// Whether a server that is reached answers with errors and nothing else; or, of a cluster of which
// some nodes are well, all that is asked is for others. And, as a run of its own, whether replicas
// that are waited for confirm nothing: who is denied is answered all the same.
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace einlass::redis {

class ErrorRun {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Errors of one key among many that are well do not last so long without a good answer between.
  static constexpr std::chrono::seconds kLeast{3};

  // A line in trouble asks each second, so after this silence nobody waits for an answer any more.
  static constexpr std::chrono::seconds kSilence{5};

  void answered() { last_error_.clear(); }

  void refused(std::string error, Instant now) {
    if (last_error_.empty() || now - last_ > kSilence) first_ = now;
    last_ = now;
    last_error_ = std::move(error);
  }

  // The last error; empty as long as there may be good answers too.
  std::string trouble(Instant now) const {
    const bool lasts = last_ - first_ >= kLeast && now - last_ <= kSilence;
    return lasts ? last_error_ : std::string();
  }

 private:
  std::string last_error_;  // Empty since a good answer.
  Instant first_{}, last_{};
};

}  // namespace einlass::redis
