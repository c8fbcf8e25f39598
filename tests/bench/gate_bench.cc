// What the gate itself costs for each record: core, limiter in memory and ledger together, without
// Kafka and HTTP. Prints microseconds of CPU for each of a few shapes of work, the best of three,
// and how much a thousand partitions or a hundred thousand keys cost beside one, or ten thousand
// lines that all wait for a place.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/memory/store.h"
#include "core/gate/gate.h"

namespace {

std::size_t allocations = 0;

}  // namespace

// Counts, so that "no allocation per record" is a figure and not a belief.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace einlass {
namespace {

constexpr long kWarmUp = 100'000;
constexpr long kRecords = 1'000'000;
constexpr std::uint32_t kInFlight = 64;
constexpr int kAtOnce = 64;               // Records, and ends of attempts, in a turn.
constexpr std::uint32_t kUnused = 3'000;  // Slots of records, always.
constexpr std::uint32_t kFew = 1'096;     // Records that are no backlog.

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct Shape {
  const char* name;
  core::Order order;
  bool limited;
  std::uint32_t partitions;
  std::uint64_t keys;  // Of the lanes.
  std::uint32_t lines =
      1;                 // Buckets of their own, as tenants have; made and forgotten as they come.
  bool guarded = false;  // The target has a breaker and a retry budget, as it has by default.
  std::uint32_t inside = kFew;       // So many records at the most.
  std::uint32_t places = kInFlight;  // Of the target.
  std::uint64_t flows = 0;           // That share what the records compete for; 0: no share.

  bool backlog() const { return inside > kFew; }
};

// A world that answers everything at once, or, where there is a backlog, ends as many attempts a
// turn as a small target: what is left is the gate.
class Bench {
 public:
  explicit Bench(const Shape& shape)
      : shape_(shape),
        limit_{"limit", limits::TokenBucketParameters{{1000, 1}, Permits{100'000}}, Permits{1}},
        gate_(options(shape)),
        store_(events_, table_) {
    for (std::uint32_t i = 0; i < shape.lines; ++i) names_.push_back("tenant-" + std::to_string(i));
    known_.resize(shape.lines);
    for (std::uint32_t i = 0; i < shape.partitions; ++i) {
      events_.push_back(core::PartitionAssigned{core::PartitionId{i}, core::RouteId{0}, Offset{0}});
    }
    offsets_.resize(shape.partitions);
    const std::uint32_t slots = shape.inside + kUnused;
    uses_.resize(slots);
    for (std::uint32_t i = slots; i > 0; --i) free_.push_back(i - 1);
    under_way_.resize(slots);
    turn();
  }

  void run(long records) {
    const long end = delivered_ + records;
    while (delivered_ < end) {
      // More than leave, until the backlog is there.
      const int most = shape_.backlog() ? 2 * kAtOnce : kAtOnce;
      for (int i = 0; i < most && free_.size() > kUnused; ++i) arrive();
      end_attempts();
      turn();
      now_ = now_ + Duration::micros(500);
      events_.push_back(core::TimePassed{});
    }
  }

 private:
  static core::GateOptions options(const Shape& shape) {
    core::GateOptions options;
    core::RouteOptions route;
    route.order = shape.order;
    route.limit_count = shape.limited ? 1 : 0;
    route.horizon = Duration::millis(500);
    route.keyless_limits = shape.limited && shape.lines == 1 ? 1 : 0;  // Else it has a key.
    if (shape.flows > 0) route.share.levels = 1;
    if (shape.backlog()) {
      route.inside_records = options.inside_records = 4 * std::int64_t{shape.inside};
      route.inside_bytes = options.inside_bytes = Bytes{std::int64_t{1} << 40};
    }
    options.routes = {route};
    core::TargetOptions target{.max_in_flight = shape.places};
    if (shape.guarded) {
      target.breaker.failures = 16;
      target.retry_share = 20;
    }
    options.targets = {target};
    options.stores = 1;
    return options;
  }

  void arrive() {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    const auto partition = static_cast<std::uint32_t>(arrived_ % shape_.partitions);
    core::RecordArrived event{core::PartitionId{partition},
                              core::RecordId{slot, uses_[slot]},
                              Offset{offsets_[partition]++},
                              core::LineId{0},
                              core::LaneKey{static_cast<std::uint64_t>(arrived_) % shape_.keys},
                              Bytes{1024}};
    event.line = find_line();
    if (shape_.flows > 0) {
      event.flow.key = core::FlowKey{static_cast<std::uint64_t>(arrived_) % shape_.flows};
    }
    ++arrived_;
    gate_.handle(event, now_, commands_);
  }

  core::LineId find_line() {
    const auto index = static_cast<std::uint32_t>(arrived_ % shape_.lines);
    const core::LineId line{index};
    if (known_[index]) return line;
    known_[index] = true;
    gate_.add_line(line, core::RouteId{0}, shape_.lines == 1);
    const memory::Bucket bucket{&limit_, names_[index]};
    store_.add_line(line, {&bucket, 1});
    return line;
  }

  // The oldest first.
  void end_attempts() {
    for (int i = 0; i < kAtOnce && ended_ < sent_; ++i, ++ended_) {
      const auto& [record, attempt] = under_way_[ended_ % under_way_.size()];
      events_.push_back(
          core::DeliveryEnded{record, attempt, core::Outcome::accepted, std::nullopt});
    }
  }

  void turn() {
    handling_.swap(events_);
    for (const core::Event& event : handling_) gate_.handle(event, now_, commands_);
    handling_.clear();
    for (const core::Command& command : commands_) perform(command);
    commands_.clear();
  }

  void perform(const core::Command& command) {
    if (const auto* send = std::get_if<core::Send>(&command)) {
      under_way_[sent_++ % under_way_.size()] = {send->record, send->attempt};
      if (!shape_.backlog()) end_attempts();
    } else if (const auto* forget = std::get_if<core::Forget>(&command)) {
      ++uses_[forget->record.slot];
      free_.push_back(forget->record.slot);
      ++delivered_;
    } else if (const auto* ask = std::get_if<core::Ask>(&command)) {
      store_.ask(*ask, now_);
    } else if (const auto* forget_line = std::get_if<core::ForgetLine>(&command)) {
      known_[forget_line->line.value] = false;
      store_.forget_line(forget_line->line);
    } else if (const auto* release = std::get_if<core::Release>(&command)) {
      store_.release(*release, now_);
    } else if (std::holds_alternative<core::Commit>(command)) {
      events_.push_back(core::CommitEnded{core::CommitResult::committed});
    }
  }

  const Shape shape_;
  limits::Limit limit_;
  core::Gate gate_;
  core::Events events_, handling_;
  core::Commands commands_;
  memory::Table table_;
  memory::Store store_;
  Instant now_{1'000'000'000};
  std::vector<std::string> names_;  // Of the buckets, by line.
  std::vector<bool> known_;         // To the gate, by line.
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> free_;
  std::vector<std::pair<core::RecordId, core::Attempt>> under_way_;  // A ring.
  std::size_t sent_ = 0, ended_ = 0;
  long arrived_ = 0;
  long delivered_ = 0;
};

double measure(const Shape& shape) {
  double best = 1e9;
  std::size_t allocated = 0;
  for (int run = 0; run < 3; ++run) {
    Bench bench(shape);
    bench.run(kWarmUp + 2 * long{shape.inside});  // Then a backlog is there.
    allocated = allocations;
    const double before = cpu_us();
    bench.run(kRecords);
    best = std::min(best, (cpu_us() - before) / kRecords);
    allocated = allocations - allocated;
  }
  std::printf("%-52s %6.3f us a record, %.4f allocations\n", shape.name, best,
              static_cast<double>(allocated) / kRecords);
  return best;
}

void compare(const Shape& few, const Shape& many) {
  const double one = measure(few);
  std::printf("%-52s %6.2f times\n", "", measure(many) / one);
}

}  // namespace
}  // namespace einlass

int main() {
  using einlass::compare;
  using einlass::measure;
  using einlass::core::Order;
  measure({"no limit, no order", Order::none, false, 6, 1});
  measure({"no limit, order by partition", Order::partition, false, 64, 1});
  compare({"token bucket, no order", Order::none, true, 6, 1},
          {"the same with breaker and retry budget", Order::none, true, 6, 1, 1, true});
  measure({"token bucket, order by partition", Order::partition, true, 64, 1});
  compare({"token bucket, no order, 1 partition", Order::none, true, 1, 1},
          {"token bucket, no order, 1,000 partitions", Order::none, true, 1'000, 1});
  compare({"token bucket, order by key, 64 keys", Order::key, true, 6, 64},
          {"token bucket, order by key, 100,000 keys", Order::key, true, 6, 100'000});
  compare({"token bucket, no order, 1 tenant", Order::none, true, 6, 1, 1},
          {"token bucket for each of 100,000 tenants, no order", Order::none, true, 6, 1, 100'000});
  // All of these have a backlog. The aims are 0.6 us, 1.5 us, and no allocation.
  compare({.name = "a backlog, 64 places, 1 tenant",
           .order = Order::none,
           .limited = true,
           .partitions = 6,
           .keys = 1,
           .inside = 20'000},
          {.name = "the same, 10,000 tenants",
           .order = Order::none,
           .limited = true,
           .partitions = 6,
           .keys = 1,
           .lines = 10'000,
           .inside = 20'000});
  measure({.name = "the same, 10,000 tenants, 20,000 places",
           .order = Order::none,
           .limited = true,
           .partitions = 6,
           .keys = 1,
           .lines = 10'000,
           .inside = 40'000,
           .places = 20'000});
  compare({.name = "a share, 64 places, 10 flows",
           .order = Order::none,
           .limited = true,
           .partitions = 6,
           .keys = 1,
           .inside = 200'000,
           .flows = 10},
          {.name = "the same, 100,000 flows",
           .order = Order::none,
           .limited = true,
           .partitions = 6,
           .keys = 1,
           .inside = 200'000,
           .flows = 100'000});
}
