// What the gate itself costs for each record: core, limiter in memory and ledger together, without
// Kafka and HTTP. Prints microseconds of CPU for each of a few shapes of work.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <variant>
#include <vector>

#include "adapters/memory/store.h"
#include "core/gate.h"

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
  std::uint64_t keys;
};

// A world that answers everything at once: what is left is the gate.
class Bench {
 public:
  explicit Bench(const Shape& shape)
      : shape_(shape),
        limit_{"limit", limits::TokenBucketParameters{{1000, 1}, Permits{100'000}}, Permits{1}},
        gate_(options(shape)),
        store_(events_, table_) {
    gate_.add_line(core::LineId{0}, core::RouteId{0}, true);
    const memory::Bucket bucket{&limit_, ""};
    store_.add_line(core::LineId{0}, {&bucket, 1});
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
    route.shared_limits = 1;
    options.routes = {route};
    options.targets = {{kInFlight}};
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
    ++arrived_;
    gate_.handle(event, now_, commands_);
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
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> free_;
  long arrived_ = 0;
  long delivered_ = 0;
};

void measure(const Shape& shape) {
  Bench bench(shape);
  bench.run(kWarmUp);
  const std::size_t allocated = allocations;
  const double before = cpu_us();
  bench.run(kRecords);
  std::printf("%-44s %6.3f us a record, %.4f allocations\n", shape.name,
              (cpu_us() - before) / kRecords,
              static_cast<double>(allocations - allocated) / kRecords);
}

}  // namespace
}  // namespace einlass

int main() {
  using einlass::core::Order;
  einlass::measure({"no limit, no order", Order::none, false, 6, 1});
  einlass::measure({"no limit, order by partition", Order::partition, false, 64, 1});
  einlass::measure({"token bucket, no order", Order::none, true, 6, 1});
  einlass::measure({"token bucket, order by partition", Order::partition, true, 64, 1});
  einlass::measure({"token bucket, order by key, 1,000 keys", Order::key, true, 6, 1'000});
  einlass::measure({"token bucket, order by key, 100,000 keys", Order::key, true, 6, 100'000});
  einlass::measure({"token bucket, no order, 1,000 partitions", Order::none, true, 1'000, 1});
}
