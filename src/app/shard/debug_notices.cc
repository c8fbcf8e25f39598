#include "app/shard/debug_notices.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "app/record/record_notices.h"
#include "app/setup/wiring.h"
#include "config/text/values.h"

namespace einlass::app {
namespace {

// Of a commit's partitions so many are named.
constexpr std::size_t kMostNamed = 4;

Notice debug(std::string what, std::string detail, std::string example) {
  return {Severity::debug, std::move(what), std::move(detail), std::move(example)};
}

std::string_view outcome_text(core::Outcome outcome) {
  switch (outcome) {
    case core::Outcome::accepted:
      return " accepted a record";
    case core::Outcome::retry:
      return " did not take a record, which is to be tried again";
    case core::Outcome::refused:
      return " refused a record";
  }
  return "";
}

std::string_view result_text(core::CommitResult result) {
  switch (result) {
    case core::CommitResult::committed:
      return "a commit was acknowledged";
    case core::CommitResult::failed:
      return "a commit failed, and may be tried again";
    case core::CommitResult::fenced:
      return "a commit was refused: the group has given these partitions to others";
  }
  return "";
}

std::string_view reason_text(core::PartitionHoldReason reason) {
  switch (reason) {
    case core::PartitionHoldReason::partition_full:
      return "it has as many records inside as its route allows";
    case core::PartitionHoldReason::gate_full:
      return "the gate has as many records inside as it may, or this partition its part of them";
    case core::PartitionHoldReason::paused:
      return "it is paused";
    case core::PartitionHoldReason::ledger_full:
      return "too much has been read, or has finished, ahead of its oldest records";
    case core::PartitionHoldReason::given_back:
      return "it is given back to the group";
  }
  return "";
}

// One notice of each event and each command that says something; nothing of the others.
class Teller {
 public:
  Teller(const config::Config& config, const Limiters& limiters, const RecordStore& records,
         const kafka::RecordSource& source, const Notify& notify)
      : config_(config), limiters_(limiters), records_(records), source_(source), notify_(notify) {}

  void operator()(const core::RecordArrived& event) const {
    const StoredRecord& record = records_[event.record];
    notify_(
        debug("record_read", named(route_of(record)) + "a record was read", record_name(record)));
  }

  void operator()(const core::RecordFiltered& event) const {
    notify_(debug("record_filtered", "a record was read that its route's filter leaves out",
                  source_.name_of(event.partition) + "@" + std::to_string(event.offset.value)));
  }

  void operator()(const core::Ask& ask) const {
    const config::Route& route = route_of(ask.line);
    const bool in_redis = limit_of(config_, route, 0).store == config::Store::redis;
    notify_(debug("permits_asked",
                  named(route) + "permits of " + limits_of(route) + " are asked for, in " +
                      (in_redis ? "Redis" : "memory"),
                  std::to_string(ask.min.value) + " to " + std::to_string(ask.max.value) +
                      (ask.again ? ", once more" : "")));
  }

  void operator()(const core::PermitsAnswered& answer) const {
    const config::Route& route = route_of(answer.line);
    const std::string again =
        answer.retry ? "asked again in " + config::to_text(*answer.retry) : "";
    if (answer.due.empty()) {
      return notify_(debug("permits_denied",
                           named(route) + "limit " +
                               limit_of(config_, route, answer.reason.value).limit.name +
                               " grants no permit",
                           answer.retry ? again : "no waiting helps"));
    }
    const std::string last = config::to_text(std::max(answer.due.back(), Duration{}));
    notify_(debug("permits_granted",
                  named(route) + "permits of " + limits_of(route) + " were granted",
                  std::to_string(answer.due.size()) + ", the last due in " + last +
                      (again.empty() ? "" : "; " + again)));
  }

  void operator()(const core::PermitsFailed& failed) const {
    const config::Route& route = route_of(failed.line);
    notify_(debug("permits_failed", named(route) + "no answer about permits of " + limits_of(route),
                  "asked again in " + config::to_text(failed.wait)));
  }

  void operator()(const core::Send& send) const {
    const StoredRecord& record = records_[send.record];
    const config::Route& route = route_of(record);
    notify_(debug("attempt_begun",
                  named(route) + "a record is sent to target " + target_of(route).name,
                  record_name(record) + ", attempt " + std::to_string(send.attempt.value)));
  }

  void operator()(const core::DeliveryEnded& ended) const {
    const StoredRecord& record = records_[ended.record];
    const config::Route& route = route_of(record);
    std::string example = record_name(record) + ", attempt " + std::to_string(ended.attempt.value);
    if (ended.status != 0) example += ", status " + std::to_string(ended.status);
    if (ended.hold_target) example += ", nothing more for " + config::to_text(*ended.hold_target);
    notify_(debug(
        "attempt_ended",
        named(route) + "target " + target_of(route).name + std::string(outcome_text(ended.outcome)),
        example));
  }

  void operator()(const core::Commit& commit) const {
    std::string example;
    for (const core::CommitEntry& entry :
         commit.entries.first(std::min(kMostNamed, commit.entries.size()))) {
      example += (example.empty() ? "" : ", ") + source_.name_of(entry.partition) + " up to " +
                 std::to_string(entry.next.value);
    }
    if (commit.entries.size() > kMostNamed) {
      example += ", and " + std::to_string(commit.entries.size() - kMostNamed) + " more";
    }
    notify_(debug("commit_begun", "offsets are committed", example));
  }

  void operator()(const core::CommitEnded& ended) const {
    notify_(debug("commit_ended", std::string(result_text(ended.result)), ""));
  }

  void operator()(const core::PartitionHold& hold) const {
    notify_(debug("partition_held",
                  "a partition is read no further: " + std::string(reason_text(hold.reason)),
                  source_.name_of(hold.partition)));
  }

  void operator()(const core::Read& read) const {
    notify_(debug("partition_read", "a partition is read on", source_.name_of(read.partition)));
  }

  template <class Other>
  void operator()(const Other&) const {}

 private:
  static std::string named(const config::Route& route) { return "route " + route.name + ": "; }

  const config::Route& route_of(const StoredRecord& record) const {
    return config_.routes[record.route.value];
  }
  const config::Route& route_of(core::LineId line) const {
    return config_.routes[limiters_.table().route_of(line).value];
  }
  const config::Target& target_of(const config::Route& route) const {
    return config_.targets[route.target];
  }

  std::string limits_of(const config::Route& route) const {
    std::string names;
    for (std::size_t index = 0; index < route.limits.size(); ++index) {
      const config::Limit& limit = limit_of(config_, route, index);
      if (!limit.is_pace) names += (names.empty() ? "" : ", ") + limit.limit.name;
    }
    return names;
  }

  const config::Config& config_;
  const Limiters& limiters_;
  const RecordStore& records_;
  const kafka::RecordSource& source_;
  const Notify& notify_;
};

}  // namespace

void DebugNotices::note(const core::Event& event, const config::Config& config,
                        const kafka::RecordSource& source) const {
  std::visit(Teller(config, limiters_, records_, source, notify_), event);
}

void DebugNotices::note(const core::Command& command, const config::Config& config,
                        const kafka::RecordSource& source) const {
  std::visit(Teller(config, limiters_, records_, source, notify_), command);
}

}  // namespace einlass::app
