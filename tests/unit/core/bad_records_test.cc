// Records that a healthy target answers with an error: they are in trouble, and nobody else is.
//
// A server that has each good record after 5 ms and fails each bad one as fast, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core::bad_records_test {
namespace {

// beside: there long before the good ones as well, and each of a line of its own.
enum class Comes : std::uint8_t { before, among, after, long_before, beside };

enum class Limit : std::uint8_t {
  none,
  grants,  // Each line needs permits, which are there.
  binds,   // All lines share one that grants each of them twice as many as good ones come.
};

struct Case {
  int bad;
  Comes comes;
  Order order;
  Limit limit;
  int lines;      // So many of their own have the bad ones, as tenants have; 0: that of the good.
  bool answered;  // They fail by an answer; else the connection ends.
  std::int64_t retry_share = 20;
  std::uint32_t together = 1;  // So many go in a request, which one bad record fails as a whole.
};

std::string name_of(const Case& one) {
  constexpr const char* kComes[] = {"before", "among", "after", "long_before", "beside"};
  constexpr const char* kOrders[] = {"partition", "key", "none"};
  constexpr const char* kLimits[] = {"", "_limited", "_bound"};
  return std::to_string(one.bad) + "_" + kComes[static_cast<int>(one.comes)] + "_order_" +
         kOrders[static_cast<int>(one.order)] + kLimits[static_cast<int>(one.limit)] +
         (one.lines > 0 ? "_tenants" : "") +
         (one.lines > 1 ? "_" + std::to_string(one.lines) : "") +
         (one.answered ? "" : "_unanswered") + (one.retry_share == 100 ? "_no_budget" : "") +
         (one.together > 1 ? "_in_batches_of_" + std::to_string(one.together) : "");
}

constexpr int kSeconds = 30;
constexpr int kGoodEachSecond = 20;
constexpr int kGood = kSeconds * kGoodEachSecond;
constexpr int kPermitsEachSecond = 40;  // A line.
constexpr Duration kLatency = Duration::millis(5);

class Server {
 public:
  explicit Server(const Case& one) : case_(one), bench_(options(one)) {
    for (int i = 1; i <= one.lines; ++i) {
      bench_.gate.add_line(LineId{static_cast<std::uint32_t>(i)}, RouteId{0}, true);
    }
    for (std::uint32_t i = 0; i < kPartitions; ++i) bench_.assign(i);
  }

  // Good records come evenly; bad ones all at once, or spread over the whole time, which begins
  // five seconds earlier for them where they are there long before.
  void run() {
    plan();
    std::size_t next = 0;
    const Instant end = bench_.now + Duration::seconds(kSeconds);
    for (; bench_.now < end; bench_.now = bench_.now + Duration::millis(1)) {
      for (; next < arrivals_.size() && arrivals_[next].at <= bench_.now; ++next) arrive(next);
      end_attempts();
      if (bench_.gate.next_wakeup() && *bench_.gate.next_wakeup() <= bench_.now) put(TimePassed{});
      look();
    }
  }

  // The longest time for which fewer than nine tenths of the good records that had come had left.
  Duration longest_behind() const { return longest_; }
  int good_delivered() const { return delivered_; }

 private:
  static constexpr std::uint32_t kPartitions = 8;
  struct Arrival {
    Instant at;
    bool bad;
  };

  static GateOptions options(const Case& one) {
    RouteOptions route;
    route.order = one.order;
    route.inside_records = 100'000;
    route.inside_bytes = Bytes{1 << 30};
    if (one.limit != Limit::none) route.limit_count = 1;
    if (one.limit == Limit::binds) {
      route.keyless_limits = 1;
      route.horizon = Duration::millis(500);
    }
    GateOptions options = BenchGate::options_for(route);
    BreakerOptions& breaker = options.targets[0].breaker;
    breaker.silence = breaker.silence + route.horizon * 2;  // As a target of such a route has it.
    options.inside_records = 100'000;
    breaker.failures = 16;
    options.targets[0].retry_share = one.retry_share;
    if (one.together > 1) options.targets[0].batch = {one.together, Bytes{1 << 20}, kLatency};
    return options;
  }

  void plan() {
    const Duration all = Duration::seconds(kSeconds);
    const bool open = case_.comes == Comes::long_before || case_.comes == Comes::beside;
    const Duration alone = Duration::seconds(open ? 5 : 0);
    for (int i = 0; i < kGood; ++i) {
      arrivals_.push_back({bench_.now + alone + (all - alone) * i / kGood, false});
    }
    for (int i = 0; i < case_.bad; ++i) {
      const Duration after = case_.comes == Comes::before  ? Duration{}
                             : case_.comes == Comes::after ? Duration::millis(5'001)
                                                           : all * i / case_.bad;
      arrivals_.push_back({bench_.now + after, true});
    }
    std::stable_sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) {
      return a.at != b.at ? a.at < b.at : a.bad > b.bad;
    });
  }

  // Where a lane is a partition, the bad ones have half of the partitions: behind one of these its
  // good records wait by the order that was asked for.
  void arrive(std::size_t i) {
    const bool bad = arrivals_[i].bad;
    const std::uint32_t half = kPartitions / 2;
    const auto partition = static_cast<std::uint32_t>(i % half) + (bad ? half : 0);
    RecordArrived event{PartitionId{partition},
                        RecordId{static_cast<std::uint32_t>(i), 0},
                        Offset{offsets_[partition]++},
                        LineId{line_of(i, bad)},
                        LaneKey{i},  // Each has a key of its own.
                        Bytes{100}};
    come_ += !bad;
    put(event);
  }

  std::uint32_t line_of(std::size_t i, bool bad) const {
    return bad && case_.lines > 0 ? 1 + static_cast<std::uint32_t>(i) % case_.lines : 0;
  }

  void put(const Event& event) {
    bench_.gate.handle(event, bench_.now, bench_.commands);
    std::vector<Command> commands;
    std::swap(commands, bench_.commands);
    for (const Command& command : commands) {
      if (const auto* send = std::get_if<Send>(&command)) take(*send);
      if (const auto* ask = std::get_if<Ask>(&command)) grant(*ask);
    }
  }

  void take(const Send& send) {
    filling_.push_back(send);
    if (!send.more) requests_.emplace(bench_.now + kLatency, std::exchange(filling_, {}));
  }

  void grant(const Ask& ask) {
    std::vector<Duration> due(static_cast<std::size_t>(ask.max.value), Duration{});
    PermitsAnswered event{ask.line, ask.ask, due, bench_.now};
    if (case_.limit == Limit::binds) {
      next_permit_ = std::max(next_permit_, bench_.now);
      const Instant last = bench_.now + ask.horizon;
      const Duration gap = Duration::seconds(1) / (kPermitsEachSecond * (case_.lines > 0 ? 2 : 1));
      for (std::size_t i = 0; i < due.size(); ++i) {
        if (next_permit_ > last) {
          event.retry = next_permit_ - last;
          event.ahead = ask.horizon;
          due.resize(i);
          break;
        }
        due[i] = next_permit_ - bench_.now;
        next_permit_ = next_permit_ + gap;
      }
      event.due = due;
    }
    put(event);
  }

  void end_attempts() {
    while (!requests_.empty() && requests_.begin()->first <= bench_.now) {
      const std::vector<Send> request = requests_.begin()->second;
      requests_.erase(requests_.begin());
      const bool bad = std::ranges::any_of(
          request, [&](const Send& send) { return arrivals_[send.record.slot].bad; });
      if (!bad) delivered_ += static_cast<int>(request.size());
      for (const Send& send : request) {
        DeliveryEnded event{send.record, send.attempt, bad ? Outcome::retry : Outcome::accepted,
                            std::nullopt};
        event.answered = event.over_one = bad && case_.answered;
        if (bad) event.together = static_cast<std::uint32_t>(request.size());
        put(event);
      }
    }
  }

  void look() {
    if (delivered_ >= come_ * 9 / 10 - 1) well_ = bench_.now;
    longest_ = std::max(longest_, bench_.now - well_);
  }

  const Case case_;
  BenchGate bench_;
  std::vector<Arrival> arrivals_;
  std::vector<Send> filling_;
  std::multimap<Instant, std::vector<Send>> requests_;
  std::map<std::uint32_t, std::int64_t> offsets_;
  Instant next_permit_;
  int come_ = 0, delivered_ = 0;
  Instant well_ = bench_.now;
  Duration longest_;
};

class BadRecords : public testing::TestWithParam<Case> {};

TEST_P(BadRecords, leave_the_good_ones_their_rate) {
  Server server(GetParam());
  server.run();
  // Where a limit binds the good ones that are behind go at the pace of permits; where the breaker
  // is open they wait for two probes, and then share the server with all that have waited.
  const bool binds = GetParam().limit == Limit::binds;
  const bool open = GetParam().comes == Comes::long_before;
  // Each fourth probe is of the line whose record came last, so there may be some in vain.
  const bool beside = GetParam().comes == Comes::beside;
  EXPECT_LE(server.longest_behind(), Duration::millis(beside  ? 12'000
                                                      : binds ? 3500
                                                      : open  ? 2500
                                                              : 2000))
      << static_cast<double>(server.longest_behind().us) / 1e6 << " s";
  EXPECT_GE(server.good_delivered(), kGood * (GetParam().comes == Comes::beside ? 80 : 98) / 100);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int bad : {1, 20, 100, 10'000}) {
    for (const Comes comes : {Comes::before, Comes::among, Comes::after}) {
      for (const Order order : {Order::partition, Order::key, Order::none}) {
        for (const Limit limit : {Limit::none, Limit::grants, Limit::binds}) {
          for (const int lines : {0, 1}) {
            // Of one line who came before goes before: 100 take four seconds.
            if (limit == Limit::binds && bad >= 100 && lines == 0) continue;
            for (const bool answered : {true, false}) {
              all.push_back({bad, comes, order, limit, lines, answered});
            }
          }
        }
      }
      all.push_back({bad, comes, Order::none, Limit::grants, 1, true, 100});
      for (const Order order : {Order::partition, Order::key, Order::none}) {
        all.push_back({bad, comes, order, Limit::none, 0, true, 100, 100});
      }
    }
  }
  // So many tenants have nothing but bad ones, all the time, and the breaker is open when the good
  // ones begin to come.
  for (const int lines : {1, 20, 100, 1'000}) {  // Each is there within a second.
    for (const Order order : {Order::key, Order::none}) {
      for (const Limit limit : {Limit::none, Limit::grants}) {
        all.push_back({lines * 30, Comes::long_before, order, limit, lines, true});
      }
    }
  }
  for (const int each_second : {2, 5}) {
    for (const Limit limit : {Limit::none, Limit::grants}) {
      const int bad = each_second * kSeconds;
      all.push_back({bad, Comes::beside, Order::none, limit, bad + kGood, true});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Worlds, BadRecords, testing::ValuesIn(cases()),
                         [](const auto& one) { return name_of(one.param); });

}  // namespace
}  // namespace einlass::core::bad_records_test
