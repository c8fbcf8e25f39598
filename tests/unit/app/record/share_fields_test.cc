#include "app/record/share_fields.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "app/setup/flow_names.h"
#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

using Kind = config::KeySource::Kind;

config::Share by_header() {
  config::Share share;
  share.by = {Kind::header, "tenant"};
  share.default_weight = 2;
  share.weights = {{"free-*", 3}, {"acme", 5}, {"free-big-*", 4}, {"bolt", 6}, {"other", 7}};
  share.levels = config::Levels{{Kind::header, "class"}, {"urgent", "normal", "bulk"}};
  return share;
}

core::FlowMark mark(std::vector<kafka::Header> headers, const config::Share& share = by_header(),
                    const FlowWeights* set = nullptr) {
  kafka::Message message;
  message.topic = "results";
  message.headers = headers;
  const Stored stored(message);
  return ShareFields(share, false, set).read(stored.record);
}

TEST(ShareFields, a_name_goes_before_a_pattern_and_the_longest_pattern_before_others) {
  EXPECT_EQ(mark({{"tenant", "acme"}}).weight, 5);
  EXPECT_EQ(mark({{"tenant", "acme-2"}}).weight, 2);
  EXPECT_EQ(mark({{"tenant", "free-1"}}).weight, 3);
  EXPECT_EQ(mark({{"tenant", "free-big-1"}}).weight, 4);
  EXPECT_EQ(mark({{"tenant", "other"}}).weight, 7);
}

TEST(ShareFields, what_is_set_while_the_gate_runs_goes_before_the_file) {
  config::Share share = by_header();
  share.name = "tenants";
  FlowWeights set;
  const auto weight_of = [&](std::string_view tenant) {
    return mark({{"tenant", tenant}}, share, &set).weight;
  };
  set.set("tenants", "acme", 50);
  set.set("tenants", "free-1", 60);
  set.set("tenants", "new", 70);
  set.set("tenants", "", 80);
  set.set("others", "bolt", 90);
  EXPECT_EQ(weight_of("acme"), 50) << "before a name";
  EXPECT_EQ(weight_of("free-1"), 60) << "before a pattern";
  EXPECT_EQ(weight_of("free-2"), 3);
  EXPECT_EQ(weight_of("new"), 70) << "before the default";
  EXPECT_EQ(weight_of(""), 80) << "the flow without a name";
  EXPECT_EQ(weight_of("bolt"), 6) << "that is another share's";
  EXPECT_EQ(mark({{"tenant", "acme"}}, share, &set).name, 0) << "it counts where it did";
  set.set("tenants", "acme", std::nullopt);
  set.set("tenants", "free-1", std::nullopt);
  EXPECT_EQ(weight_of("acme"), 5);
  EXPECT_EQ(weight_of("free-1"), 3);
}

TEST(ShareFields, a_record_without_the_field_is_of_the_flow_without_a_name) {
  const core::FlowMark without = mark({});
  EXPECT_EQ(without.weight, 2);
  EXPECT_EQ(without.key, mark({{"tenant", ""}}).key);
  EXPECT_NE(without.key, mark({{"tenant", "acme"}}).key);
}

TEST(ShareFields, who_names_no_level_has_the_last) {
  EXPECT_EQ(mark({{"class", "urgent"}}).level, 0);
  EXPECT_EQ(mark({{"class", "normal"}}).level, 1);
  EXPECT_EQ(mark({{"class", "URGENT"}}).level, 2);
  EXPECT_EQ(mark({}).level, 2);
  config::Share without = by_header();
  without.levels.reset();
  EXPECT_EQ(mark({{"class", "bulk"}}, without).level, 0);
}

TEST(ShareFields, flows_that_are_named_are_counted_by_name) {
  EXPECT_EQ(named_flows(by_header()), (std::vector<std::string>{"acme", "bolt"}));
  EXPECT_EQ(mark({{"tenant", "acme"}}).name, 0);
  EXPECT_EQ(mark({{"tenant", "bolt"}}).name, 1);
  EXPECT_EQ(mark({{"tenant", "other"}}).name, core::kNamedFlows) << "it would be there twice";
  EXPECT_EQ(mark({{"tenant", "free-1"}}).name, core::kNamedFlows);
  config::Share many = by_header();
  for (int i = 0; i < 30; ++i) many.weights.emplace_back("t" + std::to_string(i), 1);
  EXPECT_EQ(named_flows(many).size(), core::kNamedFlows);
  EXPECT_EQ(mark({{"tenant", "t17"}}, many).name, core::kNamedFlows - 1);
  EXPECT_EQ(mark({{"tenant", "t18"}}, many).name, core::kNamedFlows);
}

}  // namespace
}  // namespace einlass::app
