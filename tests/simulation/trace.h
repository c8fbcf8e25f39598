// What happened, as a hash (always) and as text (when somebody wants to read it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>

#include "core/contract/command.h"
#include "core/contract/event.h"
#include "units/time.h"

namespace einlass::simulation {

// A promise of the gate that was not kept. `check` names it, as "order_in_lane".
struct Failure : std::runtime_error {
  Failure(std::string check_name, const std::string& detail)
      : std::runtime_error(detail), check(std::move(check_name)) {}
  std::string check;
};

inline void require(bool holds, const char* check, const std::string& detail) {
  if (!holds) throw Failure(check, detail);
}

class Trace {
 public:
  enum class Keep : std::uint8_t { hash, tail, print };

  explicit Trace(Keep keep) : keep_(keep) {}

  void event(std::size_t instance, Instant now, const core::Event& event);
  void command(std::size_t instance, Instant now, const core::Command& command);
  void note(Instant now, const std::string& text);

  bool wants_text() const { return keep_ != Keep::hash; }
  std::uint64_t hash() const { return hash_; }
  const std::deque<std::string>& tail() const { return tail_; }

 private:
  static constexpr std::size_t kTail = 60;

  void mix(std::int64_t value);
  void write(Instant now, std::string text);

  Keep keep_;
  std::uint64_t hash_ = 0xCBF29CE484222325u;
  std::deque<std::string> tail_;
};

}  // namespace einlass::simulation
