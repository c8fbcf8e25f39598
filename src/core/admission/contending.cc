// Of Admission: lines that contend for limits without key are woken in turn. What is
// known of these limits is in keyless_limits.
#include <algorithm>
#include <utility>

#include "core/admission/admission.h"

namespace einlass::core {
namespace {

// Ends are not foretold: the wait that the limiter names is that for the first attempt whose holder
// seems to be dead.
constexpr Duration kLookAgain = Duration::millis(20);

}  // namespace

// Lets lines ask in turn, as far as the limit has something for them.
void Admission::serve_limit(KeylessIndex index, Instant now, Commands& commands) {
  const KeylessLimit& limit = keyless_limits_[index];
  const Alarm alarm{Alarm::Kind::limit, index};
  deadlines_.clear(alarm);
  while (!limit.turns.empty()) {
    Line& line = lines_[keyless_limits_.turns(index).next_in_its_list(lines_, limit.retries)];
    if (!keyless_limits_.lets_ask(index, now)) {
      if (limit.may_ask_at() > now) deadlines_.set(alarm, limit.may_ask_at());
      break;
    }
    serve(line, now, commands);
  }
  keyless_limits_.served(index);
}

void Admission::serve_limits(Instant now, Commands& commands) {
  for (KeylessIndex i = 0; i < keyless_limits_.size(); ++i) {
    if (keyless_limits_[i].touched) serve_limit(i, now, commands);
  }
}

// Spread, so that gates do not ask in step.
Duration Admission::pause_for_held(Duration retry) {
  const Duration most = std::min(retry, kLookAgain);
  return Duration{std::max<std::int64_t>(1, most.us / 2 + random_.up_to(most.us / 2))};
}

// As many attempts are under way as a limit allows.
void Admission::hold_back(Line& line, KeylessIndex keyless, Duration retry, Instant now) {
  if (keyless != kNoKeyless) {
    return keyless_limits_.was_short(keyless, now + pause_for_held(retry), Duration{}, Instant{});
  }
  line.held_back = true;
  line.next_ask = std::exchange(line.freed, false) ? now : now + pause_for_held(retry);
}

}  // namespace einlass::core
