// Of Admission: limits whose permits the flows of all gates share by weight.
//
// The line asks for flows, and each permit is one flow's: it goes to the first record of that flow,
// or back. What other gates are to have, and other lines of this one, the limiter knows: it holds
// up who is ahead, and says for whose sake.
#include <algorithm>

#include "core/admission/admission.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// Before a line that other lines of its gate go before looks again, and one that other gates do.
constexpr Duration kLetOthersAsk = Duration::millis(5);
constexpr Duration kLookAgain = Duration::millis(20);

}  // namespace

void Admission::ask_for_flows(Line& line, std::int64_t most) {
  keyless_limits_.tell(line);
  FleetFlows& fleet = *line.fleet();
  line.asked_flows = &fleet.ask(most, std::max(most, line.wish), keyless_limits_.others_of(line));
  for (const std::uint32_t flow : fleet.asked()) line.flows->name(flow);
}

// What an answer says of the flows. REQUIRES: its permits are promised to theirs.
void Admission::take_flows(Line& line, const PermitsAnswered& event) {
  line.fleet()->told(*event.flows);
  keyless_limits_.told(line, *event.flows);
}

void Admission::name_no_more(Line& line) {
  if (line.asked_flows == nullptr) return;
  for (const std::uint32_t flow : line.fleet()->asked()) line.flows->name_no_more(flow);
  line.asked_flows = nullptr;
}

// The limits had more for it, but others go first.
void Admission::wait_for_others(Line& line, KeylessIndex keyless, const PermitsAnswered& event,
                                Instant now) {
  CHECK(keyless != kNoKeyless && event.retry);
  if (event.flows->held_up == HeldUp::by_own) {
    line.next_ask = event.due.empty() ? now + kLetOthersAsk : now;
    return;
  }
  const Duration ahead = std::min(event.ahead, kAheadOfFleet);
  const Duration wait = std::max(wait_ahead(ahead, now - line.asked_at),
                                 std::min(std::max(*event.retry, Duration::micros(1)), kLookAgain));
  ask_after(line, keyless, wait, {}, now);
}

}  // namespace einlass::core
