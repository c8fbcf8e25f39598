#include "whole_gate/judge.h"

#include <algorithm>

namespace einlass::whole {
namespace {

// What the gate has had for that long it knows.
constexpr Micros kKnown = 100'000;

// Whoever is answered so soon after the permit's instant has not given the attempt up.
constexpr Micros kInTime = 1'000'000;

const std::string& field(const Request& request, const std::string& name) {
  const auto found = request.fields.find(name);
  if (found == request.fields.end()) throw Broken("a request has no " + name);
  return found->second;
}

std::string named(int partition, std::int64_t offset) {
  return std::to_string(partition) + "@" + std::to_string(offset);
}

}  // namespace

Judge::Known& Judge::at(int partition, std::int64_t offset) {
  std::vector<Known>& log = logs_[partition];
  if (offset < 0 || static_cast<std::size_t>(offset) >= log.size()) {
    throw Broken("there is no record " + named(partition, offset));
  }
  return log[static_cast<std::size_t>(offset)];
}

std::size_t Judge::asked(const Request& request) {
  const int partition = std::stoi(field(request, "kafka-partition"));
  const std::int64_t offset = std::stoll(field(request, "kafka-offset"));
  const std::string name = named(partition, offset);
  const Known& known = at(partition, offset);
  const std::string attempt = name + " attempt " + field(request, "einlass-attempt");
  kernel_.trace("request for " + attempt);
  if (request.body != known.record.value.value_or("")) throw Broken("another body for " + name);
  if (request.fields.contains("kafka-tombstone") == known.record.value.has_value()) {
    throw Broken("a value for none, or none for one: " + name);
  }
  const Micros admitted = look_at_permit(request, attempt);
  requests_.push_back({partition, offset, kernel_.now(), admitted});
  return requests_.size() - 1;
}

Micros Judge::look_at_permit(const Request& request, const std::string& name) {
  const std::string& permit = field(request, "einlass-permit");
  const auto [found, is_new] = permits_.emplace(permit, name);
  if (!is_new && found->second != name) {
    throw Broken("the permit of " + found->second + " was used for " + name);
  }
  const Micros admitted = std::stoll(field(request, "einlass-admitted-at"));
  if (is_new) admitted_.push_back(admitted);
  return admitted;
}

void Judge::accepted(std::size_t request) {
  const Asked& asked = requests_[request];
  Known& known = at(asked.partition, asked.offset);
  kernel_.trace("accepted " + named(asked.partition, asked.offset));
  if (known.accepted_by.empty()) {
    look_at_order(asked);
  } else {
    look_at_repeat(known, request);
  }
  known.accepted_by.push_back(request);
}

// Once the gate has been told that a record was accepted, that record does not come again.
void Judge::look_at_repeat(const Known& known, std::size_t request) {
  ++repeats_;
  const Asked& again = requests_[request];
  for (const std::size_t before : known.accepted_by) {
    const Asked& first = requests_[before];
    if (!first.told || first.arrived < forgot_) continue;
    const bool in_time = *first.told - first.admitted < kInTime;
    if (in_time && *first.told + kKnown < again.admitted) {
      throw Broken(named(again.partition, again.offset) +
                   " was sent again, although the gate was told " +
                   std::to_string(again.admitted - *first.told) + " us before");
    }
  }
}

void Judge::look_at_order(const Asked& asked) {
  if (ordered_ == Ordered::no) return;
  std::string lane = std::to_string(asked.partition);
  if (ordered_ == Ordered::by_key) {
    const auto& key = at(asked.partition, asked.offset).record.key;
    if (!key) return;
    lane += "/" + *key;
  }
  const auto [last, is_first] = last_.try_emplace(lane, -1);
  if (last->second > asked.offset) {
    throw Broken(named(asked.partition, asked.offset) + " was accepted after " +
                 std::to_string(last->second));
  }
  last->second = asked.offset;
}

void Judge::committed(int partition, std::int64_t next,
                      const std::vector<std::pair<std::int64_t, std::int64_t>>& finished) {
  auto ranges = finished;
  ranges.emplace_back(0, next);
  for (const auto& [first, end] : ranges) {
    for (std::int64_t offset = first; offset < end; ++offset) {
      if (at(partition, offset).accepted_by.empty()) {
        throw Broken("lost: " + named(partition, offset) + " is committed and was not accepted");
      }
    }
  }
  committed_[partition] = next;
  kernel_.trace("committed " + named(partition, next));
}

bool Judge::is_through() {
  return std::ranges::all_of(logs_, [this](const auto& log) {
    return committed_[log.first] == static_cast<std::int64_t>(log.second.size());
  });
}

// By the permits' instants. From each one on: how many there are in the stretches that begin there.
void Judge::look_at_limit() const {
  std::vector<Micros> admitted = admitted_;
  std::ranges::sort(admitted);
  for (std::size_t first = 0; first < admitted.size(); ++first) {
    for (std::size_t last = first; last < admitted.size(); ++last) {
      const Micros length = admitted[last] - admitted[first];
      if (promise_.per_second == 0 && length >= promise_.window) break;
      const double allowed = static_cast<double>(promise_.most) +
                             promise_.per_second * static_cast<double>(length) / 1e6;
      if (static_cast<double>(last - first + 1) > allowed + 1e-6) {
        throw Broken(std::to_string(last - first + 1) + " admitted within " +
                     std::to_string(length) + " us");
      }
    }
  }
}

}  // namespace einlass::whole
