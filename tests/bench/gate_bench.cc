// What the gate itself costs for each record: core, limiter in memory and ledger together, without
// Kafka and HTTP. Prints microseconds of CPU for each of a few shapes of work, the best of three,
// and how much a thousand partitions or a hundred thousand keys cost beside one.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
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
};

// A world that answers everything at once: what is left is the gate.
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
    uses_.resize(4096);
    for (std::uint32_t i = 4096; i > 0; --i) free_.push_back(i - 1);
    turn();
  }

  void run(long records) {
    const long end = delivered_ + records;
    while (delivered_ < end) {
      for (int i = 0; i < 64 && free_.size() > 3000; ++i) arrive();
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
    options.routes = {route};
    core::TargetOptions target{.max_in_flight = kInFlight};
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

  void turn() {
    handling_.swap(events_);
    for (const core::Event& event : handling_) gate_.handle(event, now_, commands_);
    handling_.clear();
    for (const core::Command& command : commands_) perform(command);
    commands_.clear();
  }

  void perform(const core::Command& command) {
    if (const auto* send = std::get_if<core::Send>(&command)) {
      events_.push_back(
          core::DeliveryEnded{send->record, send->attempt, core::Outcome::accepted, std::nullopt});
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
  long arrived_ = 0;
  long delivered_ = 0;
};

double measure(const Shape& shape) {
  double best = 1e9;
  std::size_t allocated = 0;
  for (int run = 0; run < 3; ++run) {
    Bench bench(shape);
    bench.run(kWarmUp);
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
}
