// What a shard shows of itself: of a real one, whose source has topics that a pattern has brought.
#include "app/views/shard_view.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "unit/app/shard/shard_bench.h"
#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

// Two topics of two partitions, of which the gate knows the route, and one that it does not know.
class Brought final : public ShardSource {
 public:
  Brought(core::Events& events, kafka::MessageSink&) : ShardSource(events) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const core::RouteId route{static_cast<std::uint16_t>(i / 2)};
      events.push_back(core::PartitionAssigned{
          .partition = core::PartitionId{i}, .route = route, .next = Offset{0}});
    }
  }
  void poll(Instant, int) override {}
  bool has_more() const override { return false; }
  kafka::SourceStatus status() const override {
    ++asked;
    kafka::SourceStatus status;
    const char* const topics[] = {"x.1", "x.1", "y.1", "y.1", "x.2"};
    for (std::uint32_t i = 0; i < std::size(topics); ++i) {
      kafka::SourceStatus::Partition& partition = status.partitions.emplace_back();
      partition.partition = core::PartitionId{i};
      partition.topic = topics[i];
      partition.number = PartitionNumber{static_cast<std::int32_t>(i % 2)};
    }
    return status;
  }

  mutable int asked = 0;
};

TEST(ShardView, asks_the_source_once_and_names_the_routes_of_topics_by_patterns) {
  ShardBench<Brought> bench(std::get<config::Config>(
      config::parse_config(config::kTargets + "routes: [{name: x, topics: ['^x[.]'], target: t}, "
                                              "{name: y, topics: ['^y[.]'], target: t}]\n",
                           "F", config::test_environment)));
  std::optional<ShardView> view;
  int asked = 0;
  bench.run_until([&] {
    if (bench.shard.gate().partitions().size() < 4) return false;
    const auto& source = dynamic_cast<const Brought&>(bench.shard.source());
    const int before = source.asked;
    view = view_of(bench.shard);
    asked = source.asked - before;
    return true;
  });
  ASSERT_TRUE(view);
  EXPECT_EQ(asked, 1);
  std::map<std::string, std::string> routes;
  for (const metrics::Topic& topic : view->metrics.topics) routes[topic.name] = topic.route;
  EXPECT_EQ(routes, (std::map<std::string, std::string>{{"x.1", "x"}, {"x.2", ""}, {"y.1", "y"}}));
}

}  // namespace
}  // namespace einlass::app
