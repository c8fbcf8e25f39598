#include "whole_gate/judge.h"

#include <algorithm>
#include <string_view>

#include "whole_gate/table_book.h"

namespace einlass::whole {
namespace {

// What the gate has had for that long it knows.
constexpr Micros kKnown = 100'000;

// Whoever is answered so soon after the permit's instant has not given the attempt up.
constexpr Micros kInTime = 1'000'000;

// A request without a permit's instant on it may have been on its way for so long.
constexpr Micros kLongestWay = 10'000'000;

const std::string& field(const Request& request, const std::string& name) {
  const auto found = request.fields.find(name);
  if (found == request.fields.end()) throw Broken("a request has no " + name);
  return found->second;
}

std::string text_of(const Name& name) {
  return std::to_string(name.partition) + "@" + std::to_string(name.offset);
}

}  // namespace

Judge::Known& Judge::at(const Name& name) {
  std::vector<Known>& log = logs_[name.partition];
  if (name.offset < 0 || static_cast<std::size_t>(name.offset) >= log.size()) {
    throw Broken("there is no record " + text_of(name));
  }
  return log[static_cast<std::size_t>(name.offset)];
}

const Record& Judge::read(const Name& name) {
  table_.look_at_reading(origins_[static_cast<std::size_t>(name.partition)]);
  return at(name).record;
}

std::size_t Judge::asked(const Request& request) {
  std::vector<Name> records = names_in(request);
  look_at_way(request, records);
  look_at_body(request, records);
  Micros left = kernel_.now() - kLongestWay;
  // A request of several records, or one that passes without Redis, has no permit.
  if (request.fields.contains("einlass-permit")) left = look_at_permit(request, records.front());
  for (const Name& name : records) {
    table_.look_at_attempt(at(name).record, origins_[static_cast<std::size_t>(name.partition)],
                           left);
  }
  requests_.push_back({std::move(records), left});
  return requests_.size() - 1;
}

int Judge::partition_of(std::string_view topic, int number) const {
  const auto found = std::ranges::find_if(origins_, [&](const Origin& origin) {
    return origin.topic == topic && origin.number == number;
  });
  if (found == origins_.end()) throw Broken("there is no partition of " + std::string(topic));
  return static_cast<int>(found - origins_.begin());
}

// "results-0-5..7, results-1-8" is 5, 6 and 7 of partition 0, then 8 of partition 1.
std::vector<Name> Judge::names_in(const Request& request) const {
  if (!request.fields.contains("einlass-records")) {
    const int number = std::stoi(field(request, "kafka-partition"));
    return {{partition_of(field(request, "kafka-topic"), number),
             std::stoll(field(request, "kafka-offset"))}};
  }
  std::vector<Name> names;
  for (std::string_view rest = field(request, "einlass-records"); !rest.empty();) {
    const std::string run(rest.substr(0, rest.find(", ")));
    rest.remove_prefix(std::min(rest.size(), run.size() + 2));
    const std::size_t last = run.rfind('-');
    const std::size_t first_dash = run.rfind('-', last - 1);
    const int partition =
        partition_of(run.substr(0, first_dash), std::stoi(run.substr(first_dash + 1)));
    const std::int64_t first = std::stoll(run.substr(last + 1));
    const std::size_t dots = run.find("..", last);
    const std::int64_t end = dots == run.npos ? first : std::stoll(run.substr(dots + 2));
    for (std::int64_t offset = first; offset <= end; ++offset) names.push_back({partition, offset});
  }
  return names;
}

void Judge::look_at_way(const Request& request, const std::vector<Name>& records) const {
  if (request.method != "POST") throw Broken("no POST");
  for (const Name& name : records) {
    if (request.path == origins_[static_cast<std::size_t>(name.partition)].path) continue;
    throw Broken(text_of(name) + " goes to " + request.path);
  }
}

void Judge::look_at_body(const Request& request, const std::vector<Name>& records) {
  const bool several = request.fields.contains("einlass-records");
  std::string body, said;
  for (const Name& name : records) {
    const auto& value = at(name).record.value;
    if (several) {
      const std::uint32_t size = value ? static_cast<std::uint32_t>(value->size()) : 0xffffffff;
      for (int shift = 24; shift >= 0; shift -= 8) body += static_cast<char>(size >> shift);
    } else if (request.fields.contains("kafka-tombstone") == value.has_value()) {
      throw Broken("a value for none, or none for one: " + text_of(name));
    }
    body += value.value_or("");
    said += " " + text_of(name);
  }
  kernel_.trace("request for" + said);
  if (request.body != body) throw Broken("another body for" + said);
}

Micros Judge::look_at_permit(const Request& request, const Name& name) {
  const std::string attempt = text_of(name) + " attempt " + field(request, "einlass-attempt");
  const auto [found, is_new] = permits_.emplace(field(request, "einlass-permit"), attempt);
  if (!is_new && found->second != attempt) {
    throw Broken("the permit of " + found->second + " was used for " + attempt);
  }
  const Micros admitted = std::stoll(field(request, "einlass-admitted-at"));
  if (admitted > kernel_.now()) throw Broken(attempt + " came before its permit's instant");
  const std::string key = promise_.by_key ? at(name).record.key.value_or("") : "";
  if (is_new && promise_.most > 0) admitted_[key].push_back({admitted, at(name).record.cost});
  return admitted;
}

void Judge::accepted(std::size_t request, const std::vector<std::size_t>& indexes) {
  for (const std::size_t index : indexes) {
    const Name& name = requests_[request].records[index];
    Known& known = at(name);
    kernel_.trace("accepted " + text_of(name));
    if (known.accepted_by.empty()) {
      look_at_order(name);
    } else {
      look_at_repeat(known, name, request);
    }
    known.accepted_by.push_back(request);
  }
}

// Once the gate has been told that a record was accepted, that record does not come again.
void Judge::look_at_repeat(const Known& known, const Name& name, std::size_t request) {
  ++repeats_;
  const Micros forgot = std::max(forgot_all_, forgot_[name.partition]);
  const Asked& again = requests_[request];
  if (known.committed && *known.committed + kKnown < again.left) {
    throw Broken(text_of(name) + " was sent although it is committed");
  }
  for (const std::size_t before : known.accepted_by) {
    const Asked& first = requests_[before];
    if (first.told && *first.told + kLongestWay < kernel_.now() && first.left == again.left) {
      throw Broken(text_of(name) + " was sent again under the same permit");
    }
    if (!first.told || first.left < forgot) continue;
    const bool in_time = *first.told - first.left < kInTime;
    if (in_time && *first.told + kKnown < again.left) {
      throw Broken(text_of(name) + " was sent again, although the gate was told " +
                   std::to_string(again.left - *first.told) + " us before");
    }
  }
}

void Judge::look_at_order(const Name& name) {
  if (ordered_ == Ordered::no) return;
  std::string lane = std::to_string(name.partition);
  if (ordered_ == Ordered::by_key) {
    const auto& key = at(name).record.key;
    if (!key) return;
    lane += "/" + *key;
  }
  const auto [last, is_first] = last_.try_emplace(lane, -1);
  if (last->second > name.offset) {
    throw Broken(text_of(name) + " was accepted after " + std::to_string(last->second));
  }
  last->second = name.offset;
}

void Judge::committed(int partition, std::int64_t next,
                      const std::vector<std::pair<std::int64_t, std::int64_t>>& finished) {
  auto ranges = finished;
  ranges.emplace_back(0, next);
  for (const auto& [first, end] : ranges) {
    for (std::int64_t offset = first; offset < end; ++offset) {
      if (at({partition, offset}).accepted_by.empty()) {
        throw Broken("lost: " + text_of({partition, offset}) +
                     " is committed and was not accepted");
      }
      auto& since = at({partition, offset}).committed;
      if (!since) since = kernel_.now();
    }
  }
  if (next < committed_[partition]) throw Broken("a commit goes back");
  committed_[partition] = next;
  kernel_.trace("committed " + text_of({partition, next}));
}

bool Judge::is_through() {
  return std::ranges::all_of(logs_, [this](const auto& log) {
    return committed_[log.first] == static_cast<std::int64_t>(log.second.size());
  });
}

void Judge::look_at_rest() const {
  for (const auto& [partition, log] : logs_) {
    const Origin& origin = origins_[static_cast<std::size_t>(partition)];
    for (const Known& known : log) {
      if (!known.accepted_by.empty() || table_.pauses(known.record, origin)) continue;
      throw Broken("a record that nobody has paused is not delivered long after all is well");
    }
  }
}

// By the permits' instants.
void Judge::look_at_limit() const {
  for (const auto& [key, all] : admitted_) {
    for (const auto& [from, end, promise] : table_.stretches_of(key, promise_)) {
      std::vector<Admitted> admitted;
      for (const Admitted& one : all) {
        if (one.instant >= from && one.instant < end) admitted.push_back(one);
      }
      std::ranges::sort(admitted);
      const auto look = promise.by_the_clock ? look_at_windows : look_at_stretches;
      look(admitted, promise);
    }
  }
}

// From each one on: how many there are in the stretches that begin there.
void Judge::look_at_stretches(const std::vector<Admitted>& admitted, const Promise& promise) {
  for (std::size_t first = 0; first < admitted.size(); ++first) {
    std::uint64_t all = 0;
    for (std::size_t last = first; last < admitted.size(); ++last) {
      const Micros length = admitted[last].instant - admitted[first].instant;
      if (promise.per_second == 0 && length >= promise.window) break;
      const double allowed = static_cast<double>(promise.most) +
                             promise.per_second * static_cast<double>(length) / 1e6;
      all += admitted[last].cost;
      if (static_cast<double>(all) > allowed + 1e-6) {
        throw Broken(std::to_string(all) + " admitted within " + std::to_string(length) + " us");
      }
    }
  }
}

void Judge::look_at_windows(const std::vector<Admitted>& admitted, const Promise& promise) {
  std::map<Micros, std::uint64_t> counts;
  for (const auto& [instant, cost] : admitted) {
    if ((counts[instant / promise.window] += cost) > promise.most) {
      throw Broken("more than " + std::to_string(promise.most) + " admitted in a window");
    }
  }
}

}  // namespace einlass::whole
