#include <map>
#include <utility>

#include "adapters/memory/buckets.h"
#include "app/replay/replay_stores.h"
#include "limits/fleet/acquire_shared.h"
#include "limits/permits/acquire.h"

namespace einlass::app {
namespace {

limits::IdPrefix prefix(std::uint64_t number) {
  limits::IdPrefix result{};
  for (std::size_t i = 0; i < 8; ++i) {
    result[result.size() - 1 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return result;
}

class MemoryReplay final : public ReplayStore {
 public:
  MemoryReplay(const ReplayLimits& limits, ReplayOfKey of_key, Take take)
      : limits_(limits),
        of_key_(std::move(of_key)),
        take_(std::move(take)),
        due_(limits::kMostPermitsOfAnAsk) {}

  void acquire(const ReplayAsk& ask) override {
    answer_.share.reset();
    const Opened opened(*this, ask.at, ask.keys, ask.costs, ask.each);
    if (ask.again != nullptr) {
      again(ask, *ask.again);
    } else {
      decide(ask);
    }
    remaining(ask.at);
    take_(answer_);
  }

  void give_back(const ReplayReturn& permits) override {
    const Asked& asked = *permits.asked;
    const Opened opened(*this, permits.at, asked.keys, permits.costs);
    returned_.clear();
    ids_.clear();
    for (std::size_t i = permits.first; i < permits.first + permits.count; ++i) {
      const auto id = limits::permit_id(prefix(asked.number), static_cast<std::uint16_t>(i));
      ids_.push_back(id);
      returned_.push_back({id, asked.at + asked.due[i]});
    }
    if (permits.ended) {
      limits::ended(charges_, ids_, permits.at);
    } else {
      answer_.returned = limits::release(charges_, returned_, permits.at);
      give_back_shares(permits);
    }
    take_(answer_);
  }

  void peek(Instant at, std::span<const std::string> keys) override {
    const Opened opened(*this, at, keys, {});
    remaining(at);
    take_(answer_);
  }

 private:
  // The buckets of one call: in the table for as long as it lasts, longer only if they hold
  // something that a fresh one would not.
  class Opened {
   public:
    Opened(MemoryReplay& replay, Instant now, std::span<const std::string> keys,
           std::span<const std::int64_t> costs, std::span<const Permits> each = {})
        : replay_(replay), now_(now) {
      replay_.used_.clear();
      replay_.values_.clear();
      replay_.charges_.clear();
      replay_.costly_ = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const limits::Limit& limit = replay_.limits_[i];
        replay_.values_.push_back(replay_.of_key_(i, keys[i]));
        const memory::Buckets::Value& value = replay_.values_.back();
        replay_.used_.push_back(replay_.buckets_.use(limit, keys[i], value));
        const bool costly = !costs.empty() && costs[i] == 0;
        if (costly) replay_.costly_ |= static_cast<std::uint8_t>(1u << i);
        const Permits cost = costly ? each.front() : Permits{costs.empty() ? 1 : costs[i]};
        replay_.charges_.push_back({value ? &value->parameters : &limit.parameters,
                                    &replay_.buckets_.state(replay_.used_.back()), cost});
      }
    }
    ~Opened() {
      for (std::size_t i = 0; i < replay_.used_.size(); ++i) {
        replay_.buckets_.leave(replay_.used_[i], replay_.values_[i]);
      }
      replay_.buckets_.sweep(now_);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    MemoryReplay& replay_;
    Instant now_;
  };

  void decide(const ReplayAsk& ask) {
    const limits::Demand demand{{ask.min},          {ask.max}, ask.horizon,
                                prefix(ask.number), ask.each,  costly_};
    const limits::Answer answer =
        ask.share == nullptr
            ? limits::acquire(charges_, demand, ask.at, due_)
            : limits::acquire_shared(charges_, ask.share->limit, share(ask.share->limit, ask.keys),
                                     ask.share->demand(), demand, ask.at, due_,
                                     answer_.share.emplace());
    answer_.due.assign(due_.begin(), due_.begin() + answer.granted.value);
    answer_.retry = answer.retry ? answer.retry->us : ReplayAnswer::kNever;
    answer_.reason = answer.reason;
  }

  // The same permits, due when they were.
  void again(const ReplayAsk& ask, const Asked& before) {
    answer_.due.clear();
    for (const Duration due : before.due) answer_.due.push_back(before.at + due - ask.at);
    answer_.retry = ReplayAnswer::kNever;
    if (ask.share == nullptr) return;
    const std::size_t shared = ask.share->limit;
    answer_.share.emplace().flow = before.flow_of;
    limits::tell_again(share(shared, ask.keys), ask.share->demand(), charges_[shared].cost, ask.at,
                       *answer_.share);
  }

  void remaining(Instant now) {
    answer_.remaining.clear();
    for (const limits::Charge& charge : charges_) {
      answer_.remaining.push_back(limits::peek(*charge.parameters, *charge.state, now));
    }
  }

  limits::FleetShare& share(std::size_t limit, std::span<const std::string> keys) {
    return shares_[{limit, keys[limit]}];
  }

  void give_back_shares(const ReplayReturn& permits) {
    const Asked& asked = *permits.asked;
    if (!asked.shared) return;
    for (std::size_t i = permits.first; i < permits.first + permits.count; ++i) {
      const AskingFlow& flow = asked.flows[asked.flow_of[i]];
      share(*asked.shared, asked.keys).give_back(flow.level, flow.id, charges_[*asked.shared].cost);
    }
  }

  const ReplayLimits& limits_;
  const ReplayOfKey of_key_;
  Take take_;
  // By the index of the limit, and the key.
  std::map<std::pair<std::size_t, std::string>, limits::FleetShare> shares_;
  memory::Buckets buckets_;
  std::vector<memory::BucketId> used_;  // Of the call under way, with what holds for their keys.
  std::vector<memory::Buckets::Value> values_;
  std::vector<limits::Charge> charges_;  // Likewise.
  std::uint8_t costly_ = 0;              // Which of these have permits that differ in cost.
  std::vector<Duration> due_;
  std::vector<limits::Returned> returned_;
  std::vector<limits::PermitId> ids_;
  ReplayAnswer answer_;
};

}  // namespace

std::unique_ptr<ReplayStore> memory_replay(const ReplayLimits& limits, ReplayOfKey of_key,
                                           ReplayStore::Take take) {
  return std::make_unique<MemoryReplay>(limits, std::move(of_key), std::move(take));
}

}  // namespace einlass::app
