// Calls that did not run: their script, or their slot, is not at this node.
#include <chrono>
#include <utility>

#include "adapters/redis/nodes/node.h"

namespace einlass::redis {
namespace {

// But for its memo. With one key a call always runs at one of two nodes, also while its slot moves
// from one to the other; should its answer be lost, its permits are. Places that somebody holds
// must not be.
bool has_one_key(const Line& line) {
  return line.buckets == 1 && !line.by_flows && !line.counts_held();
}

}  // namespace

// While a slot moves, a call whose keys are partly there runs nowhere. Mostly that is soon over.
Duration Node::wait_for_move(Line& line, Steady::time_point now) {
  constexpr std::chrono::seconds kTooLong{3};
  if (!line.moves_since) line.moves_since = now;
  if (now - *line.moves_since < kTooLong) return kTryAgainWait;
  const std::string why =
      "its slot is on its way to another node of the cluster and has not arrived, so no permit can "
      "be asked for; if that does not end, look at redis-cli --cluster check";
  ++context_.counts.errors;
  context_.owner.line_failed(line, why);
  context_.errors.refused(line.limits + ": " + why, now);
  return kLineTroubleWait;
}

// Whether the call did not run here, and has gone to where it may.
bool Node::goes_elsewhere(Call& call, const Reply& reply, Steady::time_point now) {
  if (reply.kind != Reply::Kind::error) return false;
  const bool acquire = call.kind == Call::Kind::acquire;
  const bool unknown = is_unknown_script(reply.text) && call.manner.by == CallBy::digest;
  const bool soon = is_try_again(reply.text);
  const auto elsewhere =
      context_.options.cluster ? redirection(reply.text) : std::optional<Redirection>();
  if (!unknown && !soon && !elsewhere) return false;
  if (acquire && call.late) return true;
  if (unknown) {
    send_again(std::move(call), now);
  } else if (elsewhere) {
    context_.owner.redirected(*this, std::move(call), permits_again_, *elsewhere);
  } else if (acquire && has_one_key(*call.line) && !call.manner.unremembered) {
    call.manner.unremembered = true;
    send_acquire(call.line, call.ask, call.manner, now);
    flush(now);
  } else if (acquire) {
    context_.fail(call.ask, wait_for_move(*call.line, now));
  } else {
    context_.owner.give_back_later(call.line, permits_again_, call.manner.why);
  }
  return true;
}

}  // namespace einlass::redis
