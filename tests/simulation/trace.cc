#include "trace.h"

#include <cstdio>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace einlass::simulation {
namespace {

// One event or command as the names and numbers that it consists of.
class Words {
 public:
  explicit Words(std::string_view name) : text_(name) {}

  Words& add(std::string_view name, std::int64_t value) {
    text_.append(" ").append(name).append("=").append(std::to_string(value));
    return *this;
  }
  Words& add(core::RecordId id) { return add("record", id.slot).add("use", id.use); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

Words entries(std::string_view name, std::span<const core::CommitEntry> entries) {
  Words words(name);
  for (const core::CommitEntry& entry : entries) {
    words.add("partition", entry.partition.value).add("next", entry.next.value);
  }
  return words;
}

struct CommandText {
  std::string operator()(const core::Send& c) const {
    return Words("Send")
        .add("target", c.target.value)
        .add(c.record)
        .add("attempt", c.attempt.value)
        .add("ask", static_cast<std::int64_t>(c.permit.ask.value))
        .add("permit", c.permit.index)
        .add("more", c.more)
        .take();
  }
  std::string operator()(const core::Forget& c) const {
    return Words("Forget").add(c.record).take();
  }
  std::string operator()(const core::Ask& c) const {
    Words words("Ask");
    words.add("line", c.line.value)
        .add("ask", static_cast<std::int64_t>(c.ask.value))
        .add("min", c.min.value)
        .add("max", c.max.value)
        .add("horizon", c.horizon.us)
        .add("cost", c.cost.value)
        .add("again", c.again);
    for (const Permits cost : c.costs) words.add("of", cost.value);
    return words.take();
  }
  std::string operator()(const core::Release& c) const {
    return Words("Release")
        .add("line", c.line.value)
        .add("ask", static_cast<std::int64_t>(c.permit.ask.value))
        .add("permit", c.permit.index)
        .take();
  }
  std::string operator()(const core::Ended& c) const {
    return Words("Ended")
        .add("line", c.line.value)
        .add("ask", static_cast<std::int64_t>(c.permit.ask.value))
        .add("permit", c.permit.index)
        .take();
  }
  std::string operator()(const core::ForgetLine& c) const {
    return Words("ForgetLine").add("line", c.line.value).take();
  }
  std::string operator()(const core::DeadLetter& c) const {
    return Words("DeadLetter").add(c.record).add("reason", static_cast<int>(c.reason)).take();
  }
  std::string operator()(const core::PartitionHold& c) const {
    return Words("Hold").add("partition", c.partition.value).take();
  }
  std::string operator()(const core::Read& c) const {
    return Words("Read").add("partition", c.partition.value).take();
  }
  std::string operator()(const core::Commit& c) const {
    return entries("Commit", c.entries).take();
  }
  std::string operator()(const core::Transact& c) const {
    return entries("Transact", c.entries).add("target", c.target.value).take();
  }
  std::string operator()(const core::PartitionDone& c) const {
    return Words("PartitionDone").add("partition", c.partition.value).take();
  }
  std::string operator()(const core::Stopped&) const { return "Stopped"; }
};

struct EventText {
  std::string operator()(const core::RecordArrived& e) const {
    Words words("RecordArrived");
    words.add("partition", e.partition.value)
        .add(e.record)
        .add("offset", e.offset.value)
        .add("line", e.line.value);
    if (e.lane) words.add("lane", static_cast<std::int64_t>(e.lane->value));
    if (e.doom) words.add("doom", static_cast<std::int64_t>(*e.doom));
    if (e.route) words.add("route", e.route->value);
    if (e.not_before > Instant{}) words.add("not_before", e.not_before.us);
    if (e.expires != kNever) words.add("expires", e.expires.us);
    return words.add("size", e.size.value).take();
  }
  std::string operator()(const core::RecordFiltered& e) const {
    return Words("RecordFiltered")
        .add("partition", e.partition.value)
        .add("offset", e.offset.value)
        .take();
  }
  std::string operator()(const core::DeliveryEnded& e) const {
    Words words("DeliveryEnded");
    words.add(e.record).add("attempt", e.attempt.value).add("outcome", static_cast<int>(e.outcome));
    if (e.hold_target) words.add("hold_target", e.hold_target->us);
    if (!e.counts) words.add("counts", 0);
    if (e.together > 1) words.add("together", e.together);
    if (e.too_large) words.add("too_large", 1);
    if (!e.asked) words.add("asked", 0);
    if (e.wait > Duration{}) words.add("wait", e.wait.us);
    if (e.over_one) words.add("over_one", 1);
    return words.take();
  }
  std::string operator()(const core::PermitsAnswered& e) const {
    Words words("PermitsAnswered");
    words.add("line", e.line.value)
        .add("ask", static_cast<std::int64_t>(e.ask.value))
        .add("granted", static_cast<std::int64_t>(e.due.size()));
    if (!e.due.empty()) words.add("first_due", e.due.front().us).add("last_due", e.due.back().us);
    if (e.retry) words.add("retry", e.retry->us).add("reason", e.reason.value);
    if (e.stand_in) words.add("stand_in", 1);
    return words.take();
  }
  std::string operator()(const core::PermitsFailed& e) const {
    return Words("PermitsFailed")
        .add("line", e.line.value)
        .add("ask", static_cast<std::int64_t>(e.ask.value))
        .take();
  }
  std::string operator()(const core::LimitsChanged& e) const {
    return Words("LimitsChanged").add("line", e.line.value).add("shared", e.shared).take();
  }
  std::string operator()(const core::StoreDown& e) const {
    return Words("StoreDown").add("store", e.store.value).take();
  }
  std::string operator()(const core::StoreUp& e) const {
    return Words("StoreUp").add("store", e.store.value).take();
  }
  std::string operator()(const core::PartitionAssigned& e) const {
    return Words("PartitionAssigned")
        .add("partition", e.partition.value)
        .add("route", e.route.value)
        .add("next", e.next.value)
        .add("begun", e.begun)
        .take();
  }
  std::string operator()(const core::PartitionMoved& e) const {
    return Words("PartitionMoved")
        .add("partition", e.partition.value)
        .add("next", e.next.value)
        .take();
  }
  std::string operator()(const core::PartitionRevoked& e) const {
    return Words("PartitionRevoked")
        .add("partition", e.partition.value)
        .add("deadline", e.deadline.us)
        .take();
  }
  std::string operator()(const core::PartitionLost& e) const {
    return Words("PartitionLost").add("partition", e.partition.value).take();
  }
  std::string operator()(const core::TargetHold& e) const {
    return Words("TargetHold").add("target", e.target.value).add("length", e.length.us).take();
  }
  std::string operator()(const core::TargetReady& e) const {
    return Words("TargetReady").add("target", e.target.value).take();
  }
  std::string operator()(const core::RoutePaused& e) const {
    return Words("RoutePaused").add("route", e.route.value).add("paused", e.paused).take();
  }
  std::string operator()(const core::LinePaused& e) const {
    return Words("LinePaused").add("line", e.line.value).add("paused", e.paused).take();
  }
  std::string operator()(const core::PartitionPaused& e) const {
    return Words("PartitionPaused")
        .add("partition", e.partition.value)
        .add("paused", e.paused)
        .take();
  }
  std::string operator()(const core::DeadLetterEnded& e) const {
    return Words("DeadLetterEnded").add(e.record).add("acknowledged", e.acknowledged).take();
  }
  std::string operator()(const core::CommitEnded& e) const {
    return Words("CommitEnded")
        .add("result", static_cast<int>(e.result))
        .add("settled", static_cast<std::int64_t>(e.settled.size()))
        .take();
  }
  std::string operator()(const core::StopRequested& e) const {
    return Words("StopRequested").add("deadline", e.deadline.us).take();
  }
  std::string operator()(const core::TimePassed&) const { return "TimePassed"; }
};

// The numbers of a command, for the hash: two gates that do the same have the same.
struct CommandNumbers {
  using Numbers = std::vector<std::int64_t>;
  Numbers operator()(const core::Send& c) const {
    Numbers numbers = of(c.permit);
    numbers.insert(numbers.end(), {c.record.slot, c.record.use, c.attempt.value, c.more});
    return numbers;
  }
  Numbers operator()(const core::Forget& c) const { return {c.record.slot, c.record.use}; }
  Numbers operator()(const core::Ask& c) const {
    Numbers numbers{c.line.value, c.min.value, c.max.value, c.horizon.us, c.cost.value, c.again};
    for (const Permits cost : c.costs) numbers.push_back(cost.value);
    if (c.flows == nullptr) return numbers;
    for (const AskingFlow& flow : c.flows->flows) {
      numbers.insert(numbers.end(), {static_cast<std::int64_t>(flow.id.value), flow.level,
                                     flow.weight, flow.records, flow.served.value_or(-1)});
    }
    return numbers;
  }
  Numbers operator()(const core::Release& c) const { return with(c.line.value, of(c.permit)); }
  Numbers operator()(const core::Ended& c) const { return with(c.line.value, of(c.permit)); }
  Numbers operator()(const core::ForgetLine& c) const { return {c.line.value}; }
  Numbers operator()(const core::DeadLetter& c) const {
    return {c.record.slot, c.record.use, static_cast<int>(c.reason)};
  }
  Numbers operator()(const core::PartitionHold& c) const {
    return {c.partition.value, static_cast<int>(c.reason)};
  }
  Numbers operator()(const core::Read& c) const { return {c.partition.value}; }
  Numbers operator()(const core::Commit& c) const { return of(c.entries); }
  Numbers operator()(const core::Transact& c) const { return with(c.target.value, of(c.entries)); }
  Numbers operator()(const core::PartitionDone& c) const { return {c.partition.value}; }
  Numbers operator()(const core::Stopped&) const { return {}; }

  static Numbers of(std::span<const core::CommitEntry> entries) {
    Numbers numbers;
    for (const core::CommitEntry& entry : entries) {
      numbers.insert(numbers.end(), {entry.partition.value, entry.next.value});
      numbers.insert(numbers.end(), entry.finished.begin(), entry.finished.end());
    }
    return numbers;
  }

  static Numbers of(const core::Permit& permit) {
    const FlowId flow = permit.flow.value_or(FlowId{0});
    return {static_cast<std::int64_t>(permit.ask.value),
            permit.index,
            permit.stamp.us,
            permit.cost.value,
            permit.flow_level,
            static_cast<std::int64_t>(flow.value)};
  }

  static Numbers with(std::int64_t first, Numbers numbers) {
    numbers.insert(numbers.begin(), first);
    return numbers;
  }
};

}  // namespace

void Trace::event(std::size_t instance, Instant now, const core::Event& event) {
  if (!wants_text()) return;
  write(now, "gate " + std::to_string(instance) + " <- " + std::visit(EventText{}, event));
}

void Trace::command(std::size_t instance, Instant now, const core::Command& command) {
  mix(now.us);
  mix(static_cast<std::int64_t>(instance * 16 + command.index()));
  for (const std::int64_t number : std::visit(CommandNumbers{}, command)) mix(number);
  if (!wants_text()) return;
  write(now, "gate " + std::to_string(instance) + " -> " + std::visit(CommandText{}, command));
}

void Trace::note(Instant now, const std::string& text) {
  if (wants_text()) write(now, text);
}

void Trace::mix(std::int64_t value) {
  hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
  hash_ ^= hash_ >> 29;
}

void Trace::write(Instant now, std::string text) {
  // Shown since the start of the world, in microseconds.
  text = std::to_string(now.us - 1'700'000'000'000'000) + " " + text;
  if (keep_ == Keep::print) std::puts(text.c_str());
  tail_.push_back(std::move(text));
  if (tail_.size() > kTail) tail_.pop_front();
}

}  // namespace einlass::simulation
