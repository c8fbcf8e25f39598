#include "limits/rates/leaky_bucket.h"

namespace einlass::limits {
namespace {

// Another rate's fraction means nothing in this one's units. The turn moves by less than 1 us.
ExactInstant next_turn(const LeakyQueueParameters& parameters, const LeakyQueue& queue) {
  return queue.permits == parameters.rate.permits ? queue.next : ExactInstant{queue.next.at};
}

}  // namespace

Ahead ahead(const LeakyBucketParameters& p) {
  if (!p.queue) return kNothingAhead;
  if (p.rate.permits == 0) return {true, {}};
  return {true, {p.capacity.value * p.rate.micros / p.rate.permits}};
}

Permits peek(const LeakyQueueParameters& parameters, const LeakyQueue& queue, Instant now) {
  return {parameters.rate.permits > 0 && queue.next.at <= now ? 1 : 0};
}

std::int64_t give_back(const LeakyQueueParameters& parameters, LeakyQueue& queue, Permits cost,
                       std::span<const Returned> returned, Instant now) {
  const Rate rate = parameters.rate;
  if (rate.permits == 0) return 0;
  ExactInstant next = next_turn(parameters, queue);
  std::int64_t known = 0;
  for (std::size_t i = returned.size(); i-- > 0;) {
    const ExactInstant turn = next.before(cost.value * rate.micros, rate.permits);
    if (turn.at != returned[i].at || turn.at <= now) continue;
    next = turn;
    ++known;
  }
  if (known > 0) queue = {next, rate.permits};
  return known;
}

bool is_fresh(const LeakyQueueParameters&, const LeakyQueue& queue, Instant now) {
  return queue.next.at <= now;
}

LeakyQueueLook::LeakyQueueLook(const LeakyQueueParameters& parameters, LeakyQueue& queue,
                               Permits cost, Instant now)
    : queue_(queue),
      rate_(parameters.rate),
      need_(cost.value * parameters.rate.micros),
      next_(next_turn(parameters, queue)) {
  if (next_.at <= now) next_ = {now};
}

}  // namespace einlass::limits
