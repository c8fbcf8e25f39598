// Any limits that are not refused, under any asks, releases, ends and changed numbers, at any
// times, back and forth: what the contract of limits/permits/acquire.h promises holds, and no
// number overflows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/source.h"
#include "limits/permits/acquire.h"
#include "limits/permits/refusal.h"
#include "limits/rates/token_bucket.h"
#include "units/check.h"

namespace {

using namespace einlass;
using namespace einlass::limits;
using fuzz::Source;

constexpr std::int64_t kLatest = std::int64_t{1} << 52;  // Some day in 2112.
constexpr std::int64_t kMostUnits = 5'000;               // Of an ask: a log keeps them all.
constexpr std::size_t kMostOperations = 60;

constexpr int kSpacedLog = 13, kEmptyBucket = 14, kKinds = 15;

// A limit of that kind, whose numbers may be refused.
Parameters some_limit(Source& source, int kind) {
  const Permits size{source.number()};
  const Duration span{source.number()};
  const auto rate = [&] {
    const std::int64_t permits = source.number();
    const std::int64_t micros = source.number();
    return permits >= 0 && micros > 0 ? reduced({permits, micros}) : Rate{permits, micros};
  };
  switch (kind) {
    case 0:
      return SlidingLogParameters{size, span};
    case 1:
      return TokenBucketParameters{rate(), size};
    case 2:
      return FixedWindowParameters{size, span, source.bit()};
    case 3:
      return CounterParameters{size, span};
    case 4:
    case 5:
      return SlidingWindowParameters{size, span, static_cast<int>(source.number(0, 1'001)),
                                     kind == 5};
    case 6:
    case 7:
      return LeakyBucketParameters{rate(), size, kind == 7};
    case 8:
    case 9:
      return SmoothParameters{rate(), size, span, kind == 9};
    case 10:
      return WarmUpParameters{rate(), span, {source.number()}};
    case 11:
      return GcraParameters{rate(), size};
    case kSpacedLog:
      return SlidingLogParameters{
          size, span, static_cast<int>(source.number(-1, 100)), {source.number()}};
    case kEmptyBucket:
      return TokenBucketParameters{rate(), size, true};
    default:
      return ConcurrencyParameters{size, span};
  }
}

struct Bucket {
  int kind = 0;
  Parameters parameters;
  State state;
  std::int64_t cost = 1;
  bool reopened = false;  // A fixed window that is open under other numbers: see Run::exact().
};

bool same(const Answer& a, const Answer& b) {
  return a.granted == b.granted && a.retry == b.retry && a.reason == b.reason;
}

class Run {
 public:
  explicit Run(Source& source) : source_(source) {
    for (int n = 1 + source_.byte() % 4; n > 0; --n) add_bucket();
  }

  void go() {
    if (buckets_.empty()) return;
    for (std::size_t i = 0; i < kMostOperations && !source_.empty(); ++i) {
      move_clock();
      switch (source_.byte() % 8) {
        case 0:
          change();
          break;
        case 1:
          give_back();
          break;
        case 2:
          end();
          break;
        default:
          ask();
      }
      check_buckets();
    }
  }

 private:
  void add_bucket() {
    Bucket bucket;
    bucket.kind = source_.byte() % kKinds;
    bucket.parameters = some_limit(source_, bucket.kind);
    if (refusal(bucket.parameters, {1})) return;
    bucket.cost = source_.bit() ? 1 : source_.number();  // Also what no bucket can count.
    bucket.state = fresh(bucket.parameters, "key");
    buckets_.push_back(std::move(bucket));
  }

  void move_clock() {
    const std::int64_t by = source_.bit() ? source_.number(0, 9) : source_.number();
    now_ = std::clamp<std::int64_t>(
        source_.byte() % 8 == 0 ? now_ - (by & 0xffff) : now_ + (by & (kLatest - 1)), 0, kLatest);
  }

  void change() {
    Bucket& bucket = buckets_[source_.byte() % buckets_.size()];
    const Parameters parameters = some_limit(source_, bucket.kind);
    if (refusal(parameters, {1})) return;
    bucket.parameters = parameters;
    bucket.reopened = bucket.kind == 2;
  }

  std::vector<Charge> charges() {
    std::vector<Charge> result;
    for (Bucket& b : buckets_) result.push_back({&b.parameters, &b.state, {b.cost}});
    return result;
  }

  // So that they answer as new ones do.
  bool all_fresh() const {
    return std::all_of(buckets_.begin(), buckets_.end(),
                       [this](const Bucket& b) { return is_fresh(b.parameters, b.state, {now_}); });
  }

  // What there is of it when nobody uses it.
  std::int64_t all_of(const Bucket& b) const {
    const auto* bucket = std::get_if<TokenBucketParameters>(&b.parameters);
    const bool fills = bucket && bucket->starts_empty && !is_fresh(b.parameters, b.state, {now_});
    if (fills) return bucket->rate.permits == 0 ? 0 : bucket->burst.value;
    return peek(b.parameters, fresh(b.parameters, "key"), {now_}).value;
  }

  Answer acquire_at(std::int64_t now, Demand demand) {
    for (std::size_t i = 0; i < 8; ++i) {
      demand.prefix[i] = static_cast<std::uint8_t>(asks_ >> (8 * i));
    }
    ++asks_;
    due_.assign(static_cast<std::size_t>(demand.max.value), {});
    std::vector<Charge> charged = charges();
    if (!demand.costs.empty()) {
      for (Charge& charge : charged) charge.cost = demand.costs.front();
    }
    const Answer answer = acquire(charged, demand, {now}, due_);
    check(answer, demand);
    for (std::size_t i = 0; i < static_cast<std::size_t>(answer.granted.value); ++i) {
      permits_.push_back(
          {permit_id(demand.prefix, static_cast<std::uint16_t>(i)), Instant{now} + due_[i]});
    }
    return answer;
  }

  void check(const Answer& answer, const Demand& demand) const {
    CHECK(answer.granted.value == 0 ||
          (answer.granted >= demand.min && answer.granted <= demand.max));
    CHECK(!answer.retry || *answer.retry > Duration{});
    CHECK(answer.granted == demand.max ? !answer.retry : answer.reason < buckets_.size());
    CHECK(answer.granted.value == 0 || answer.granted == demand.max || answer.retry ||
          !demand.costs.empty());
    Duration last{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(answer.granted.value); ++i) {
      CHECK(last <= due_[i] && due_[i] <= demand.horizon);
      last = due_[i];
    }
  }

  // What fresh buckets would answer.
  Answer fresh_answer(const Demand& demand) const {
    std::vector<State> states;
    std::vector<Charge> charges;
    for (const Bucket& b : buckets_) states.push_back(fresh(b.parameters, "key"));
    for (std::size_t i = 0; i < states.size(); ++i) {
      charges.push_back({&buckets_[i].parameters, &states[i], {buckets_[i].cost}});
    }
    if (!demand.costs.empty()) {
      for (Charge& charge : charges) charge.cost = demand.costs.front();
    }
    std::vector<Duration> due(static_cast<std::size_t>(demand.max.value));
    return acquire(charges, demand, {now_}, due);
  }

  // Several permits of one that books ahead in fractions of a microsecond, beside another limit:
  // each permit that has to wait is rounded up, by as much as the moment of the ask has it.
  bool rounded(const Demand& demand) const {
    return buckets_.size() > 1 && demand.min > Permits{1} &&
           std::any_of(buckets_.begin(), buckets_.end(),
                       [](const Bucket& b) { return b.kind == 7 || b.kind == 10; });
  }

  // Several permits of a log that keep a distance: some may leave at once by then.
  bool spaced(const Demand& demand) const {
    return demand.min > Permits{1} &&
           std::any_of(buckets_.begin(), buckets_.end(),
                       [](const Bucket& b) { return b.kind == kSpacedLog; });
  }

  // A bucket that fills from empty is empty again when it has been full for an hour.
  bool begins_anew(Duration retry) const {
    return retry >= kNewAfter && std::any_of(buckets_.begin(), buckets_.end(), [](const Bucket& b) {
             return b.kind == kEmptyBucket;
           });
  }

  // Whether nothing is granted before the told moment. A fixed window under other numbers may end
  // earlier than it says: what is booked there until then would make it last. A warm-up that has to
  // wait for another limit cools down meanwhile: who asks later may wait for less.
  bool exact(const Demand& demand) const {
    if (rounded(demand) || spaced(demand)) return false;
    return std::none_of(buckets_.begin(), buckets_.end(), [&](const Bucket& b) {
      return b.reopened || (b.kind == 10 && buckets_.size() > 1);
    });
  }

  void ask() {
    std::int64_t cost = 1;
    for (const Bucket& b : buckets_) {
      if (b.cost >= 1 && b.cost <= most_cost(b.parameters).value) cost = std::max(cost, b.cost);
    }
    const std::int64_t most = std::clamp<std::int64_t>(kMostUnits / cost, 4, 40);
    Demand demand;
    demand.min = {source_.number(1, most)};
    demand.max = {source_.number(demand.min.value, most)};
    demand.horizon = {source_.bit() ? source_.number(0, kLongestWindow.us) : source_.byte()};
    std::vector<Permits> costs;  // Of each permit.
    if (source_.byte() % 4 == 0) {
      demand.min = {1};
      for (std::int64_t i = 0; i < demand.max.value; ++i)
        costs.push_back({source_.number(1, cost)});
      demand.costs = costs;
      demand.costly = 0xff;
    }
    const std::optional<Answer> first =
        all_fresh() ? std::optional(fresh_answer(demand)) : std::nullopt;
    const Answer answer = acquire_at(now_, demand);
    CHECK(!first || same(*first, answer));
    if (answer.granted.value == 0) CHECK(same(answer, acquire_at(now_, demand)));
    if (!answer.retry) {
      if (answer.granted.value == 0) CHECK(acquire_at(kLatest, demand).granted.value == 0);
      return;
    }
    if (answer.granted.value > 0) {
      const auto granted = static_cast<std::size_t>(answer.granted.value);
      if (!demand.costs.empty()) demand.costs = demand.costs.subspan(granted, 1);
      demand.min = demand.max = {1};
    }
    follow(demand, *answer.retry);
  }

  // The told moment is exact; several permits that are rounded or keep a distance may be told
  // another one then.
  void follow(const Demand& demand, Duration retry) {
    const std::int64_t then = now_ + retry.us;
    if (then > kLatest) return;
    if (exact(demand)) CHECK(acquire_at(then - 1, demand).granted.value == 0);
    if (!source_.bit()) return;
    now_ = then;
    const Answer then_answered = acquire_at(now_, demand);
    const bool inexact = rounded(demand) || spaced(demand) || begins_anew(retry);
    const bool another = inexact && then_answered.retry;
    CHECK(then_answered.granted >= demand.min || another);
  }

  Returned some_permit() {
    if (permits_.empty() || source_.byte() % 8 == 0) return {{}, {source_.number(0, kLatest)}};
    return permits_[permits_.size() - 1 -
                    source_.byte() % std::min<std::size_t>(permits_.size(), 256)];
  }

  void give_back() {
    std::vector<Returned> returned;
    for (int n = source_.byte() % 4; n >= 0; --n) returned.push_back(some_permit());
    const std::int64_t known = release(charges(), returned, {now_});
    CHECK(known >= 0 && known <= static_cast<std::int64_t>(returned.size()));
  }

  void end() {
    const PermitId id = some_permit().id;
    ended(charges(), {&id, 1}, {now_});
  }

  void check_buckets() {
    for (Bucket& b : buckets_) {
      const std::int64_t free = peek(b.parameters, b.state, {now_}).value;
      const std::int64_t all = all_of(b);
      CHECK(free >= 0 && free <= all);
      if (!is_fresh(b.parameters, b.state, {now_})) continue;
      CHECK(free == all);
      if (b.kind == 2) b.reopened = false;
    }
  }

  Source& source_;
  std::vector<Bucket> buckets_;
  std::int64_t now_ = 1'800'000'000'000'000;
  std::uint64_t asks_ = 0;
  std::vector<Duration> due_;
  std::vector<Returned> permits_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Source source(data, size);
  Run(source).go();
  return 0;
}
