#include "app/targets/targets.h"

#include <utility>

#include "app/setup/wiring.h"
#include "app/targets/http_target.h"
#include "app/targets/kafka_target.h"
#include "units/check.h"

namespace einlass::app {

Targets::Targets(boost::asio::io_context& io, ShardNumber shard, const RunId& run,
                 const KafkaLogins& logins, core::Events& events, Notify notify)
    : io_(io),
      shard_(shard),
      run_(run),
      logins_(logins),
      events_(events),
      notify_(std::move(notify)) {}

std::unique_ptr<Target> Targets::make(const config::Config& config, std::size_t index) const {
  const config::Target& target = config.targets[index];
  const auto by_http = [&](const config::HttpTarget& http) -> std::unique_ptr<Target> {
    return std::make_unique<HttpTarget>(io_, target_options(config, target, shard_), http, run_,
                                        events_, notify_);
  };
  const auto by_kafka = [&](const config::KafkaTarget& kafka) -> std::unique_ptr<Target> {
    kafka::TargetOptions options = kafka_target_options(config, target, shard_);
    options.login = logins_.of_target(index);
    if (kafka.exactly_once) {
      return std::make_unique<ExactlyOnceTarget>(io_, std::move(options), events_, notify_);
    }
    return std::make_unique<KafkaTarget>(io_, std::move(options), events_, notify_);
  };
  return target.by_kind(by_http, by_kafka);
}

// What the files of an HTTP target hold by now, it finds out by itself.
bool Targets::goes_on(const config::Config& from, const config::Config& to,
                      std::size_t index) const {
  const auto same = [&](const config::HttpTarget& http) {
    return target_options(to, to.targets[index], shard_) ==
               target_options(from, from.targets[index], shard_) &&
           http == *from.targets[index].http();
  };
  // Its producer stays, and needs a restart for what it was made of.
  const auto stays = [](const config::KafkaTarget&) { return true; };
  return to.targets[index].by_kind(same, stays);
}

void Targets::start(const config::Config& config) {
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    served_.push_back({make(config, served_.size()), {}});
    served_.back().target->start(core::TargetId{static_cast<std::uint16_t>(served_.size() - 1)});
  }
}

void Targets::transact(core::TargetId id, std::optional<kafka::GroupOffsets> offsets,
                       std::function<void(kafka::TransactionEnd)> ended) {
  auto* const target = dynamic_cast<ExactlyOnceTarget*>(served_[id.value].target.get());
  CHECK(target != nullptr);
  target->transact(std::move(offsets), std::move(ended));
}

Targets::Made Targets::make(const config::Config& from, const config::Config& to) const {
  Made made;
  for (std::size_t i = 0; i < to.targets.size(); ++i) {
    made.push_back(goes_on(from, to, i) ? nullptr : make(to, i));
  }
  return made;
}

void Targets::reconfigure(const config::Config& config, Made made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    Served& served = served_[i];
    if (made[i] == nullptr) {
      served.target->reconfigure(config.targets[i]);
      continue;
    }
    made[i]->take_over(*served.target);
    served.retiring.push_back(std::exchange(served.target, std::move(made[i])));
    served.target->start(core::TargetId{static_cast<std::uint16_t>(i)});
    retiring_ = true;
  }
}

// Their connections close with them.
void Targets::retire() {
  if (!retiring_) return;
  retiring_ = false;
  for (Served& served : served_) {
    std::erase_if(served.retiring, [](const auto& old) { return old->status().in_flight == 0; });
    retiring_ |= !served.retiring.empty();
  }
}

TargetStatus Targets::status(std::size_t i) const {
  TargetStatus status = served_[i].target->status();
  for (const auto& old : served_[i].retiring) {
    const TargetStatus more = old->status();
    status.in_flight += more.in_flight;
    status.connections += more.connections;
  }
  return status;
}

}  // namespace einlass::app
