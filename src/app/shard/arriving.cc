// What becomes of each message that the source hands over: it is a record of the route that
// delivers it, which the gate is told of, or one that all routes leave out.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "app/record/dead_record.h"
#include "app/record/extract.h"
#include "app/shard/shard.h"
#include "app/targets/batch_request.h"

namespace einlass::app {
namespace {

// How many messages are read before the time is looked at again.
constexpr std::uint64_t kMessagesPerLook = 16;

// Whether the gate wants nothing of a record that it was just told of: it was finished before, or
// is Kafka's again.
bool turned_away(core::RecordId record, const core::Commands& commands) {
  return std::any_of(commands.begin(), commands.end(), [&](const core::Command& command) {
    const auto* forget = std::get_if<core::Forget>(&command);
    return forget != nullptr && forget->record == record;
  });
}

}  // namespace

// A record is handled as soon as it is read, and what follows is done at once: a full gate holds
// the partition before the next one comes, and a line that was just forgotten is not found again.
void Shard::take(const kafka::Message& message) {
  if (++messages_ % kMessagesPerLook == 0) look_at_clock();
  handle();
  perform_while_reading();
  const core::RecordId record = records_.put(message, route_of_partition_[message.partition.value]);
  if (!finds_route(record)) {
    const core::RouteId left_out_by = records_[record].route;
    records_.forget(record);
    const core::RecordFiltered filtered{message.partition, message.read_at, left_out_by};
    if (wants_debug()) debug_notices_.note(filtered, *config_, *source_);
    gate_.handle(filtered, now_, commands_);
    return perform_while_reading();
  }
  const core::RecordArrived arrival = arrival_of(record, message);
  if (wants_debug()) debug_notices_.note(arrival, *config_, *source_);
  gate_.handle(arrival, now_, commands_);
  if (tracing_ && !turned_away(record, commands_)) {
    tracing_->arrived(record, records_[record]);
  }
  perform_while_reading();
}

// Whether it is some route's: its partition's, or one that gets what that leaves out. Of one that
// is too large for a route the filter sees nothing.
bool Shard::finds_route(core::RecordId id) {
  while (!is_too_large(id) && !filters_.lets_pass(records_[id].route, records_[id])) {
    const auto next = filters_.otherwise(records_[id].route);
    if (!next) return false;
    records_.hand_on(id, *next);
  }
  return true;
}

bool Shard::is_too_large(core::RecordId id) const {
  const StoredRecord& record = records_[id];
  return record.content() > config_->routes[record.route.value].record_bound();
}

// What Kafka has bounded is the size of compressed batches only. While its dead letter cannot be
// written, such a record is inside, and counted in full it might leave no room to anybody else. But
// several of them are not to take the memory either.
void Shard::doom_too_large(core::RecordArrived& arrived) {
  StoredRecord& record = records_[arrived.record];
  const config::Route& route = config_->routes[record.route.value];
  record.last_error = too_large_text(record.content(), route.largest_record);
  arrived.doom = core::DeadLetterReason::too_large;
  const Bytes of_this_shard{config_->inside.bytes.value / config_->shards};
  const Bytes part = std::min(route.inside.bytes, Bytes{of_this_shard.value / 4});
  arrived.size = uncounted_.count(arrived.record, record.size(), part, of_this_shard);
}

// With all that the gate is told of it, read once.
core::RecordArrived Shard::arrival_of(core::RecordId id, const kafka::Message& message) {
  StoredRecord& record = records_[id];
  record.arrived = now_;
  const LineAndCost found = limiters_.line_of(record);
  const bool by_key = config_->routes[record.route.value].order == core::Order::key;
  core::RecordArrived arrived{
      message.partition, id, message.read_at, found.line, by_key ? lane_key(message) : std::nullopt,
      record.size()};
  arrived.route = record.route;
  if (is_too_large(id)) {
    doom_too_large(arrived);
    return arrived;
  }
  const RecordTimes times = times_.read(record.route, record);
  record.last_error = found.bad.empty() ? times.bad : found.bad;
  if (!record.last_error.empty()) arrived.doom = core::DeadLetterReason::bad_key;
  arrived.cost = found.cost;
  arrived.content = record.content();
  const auto by_http = [&](const config::HttpTarget& http) {
    if (!http.batch) return;
    arrived.content = body_size(http.batch->format, record);
    arrived.name_size = listed_size(http.batch->format, record);
    arrived.named_apart = message.moved;
  };
  config_->targets[config_->routes[record.route.value].target].by_kind(
      by_http, [](const config::KafkaTarget&) {});
  arrived.flow = shares_.read(record.route, record);
  arrived.not_before = times.not_before;
  arrived.expires = times.expires;
  return arrived;
}

// While the source is in the middle of reading, what would change its assignment waits.
void Shard::perform_while_reading() {
  for (const core::Command& command : commands_) {
    const bool for_source = std::holds_alternative<core::Commit>(command) ||
                            std::holds_alternative<core::Transact>(command) ||
                            std::holds_alternative<core::PartitionDone>(command) ||
                            std::holds_alternative<core::Stopped>(command);
    if (for_source) {
      deferred_.push_back(command);
    } else {
      carry_out(command);
    }
  }
  commands_.clear();
}

}  // namespace einlass::app
