// Which of a line's records is next, said without a gate.
#include "core/lines/picker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace einlass::core::picker_test {
namespace {

constexpr Slot kOld = 0, kYoung = 1, kRetry = 2;
constexpr Instant kNow{1000};

// A line with two fresh records and a retry that stands apart; its route has one limit.
struct PickerOfOneLine : ::testing::Test {
  GateOptions options = one_route();
  Records records{1};
  Deadlines deadlines;
  Delivery delivery{options, records, deadlines};
  std::vector<TargetQueues> targets{1};
  LineQueue::Lines lines;
  KeylessLimits limits{options, lines};
  RetryBudget budget{options, delivery, targets, limits, lines};
  Picker picker{options, records, delivery, budget};
  Line line;

  PickerOfOneLine() {
    line.retry_share = 50;
    for (const Slot slot : {kOld, kYoung, kRetry}) {
      Record& record = records.enter({slot, 1}, RouteId{0}, PartitionId{0}, 0, RecordState::ready);
      record.attempt.value = slot == kRetry ? 1 : 0;
      (slot == kRetry ? line.retries : line.ready).push_back(records, slot);
      ++line.total;
    }
  }

  static GateOptions one_route() {
    RouteOptions route;
    route.limit_count = 1;
    GateOptions options;
    options.routes = {route};
    options.targets.resize(1);
    return options;
  }

  // A permit of that cost, asked for with the record.
  void grant(Permits cost, Slot slot, Instant due = kNow) {
    HeldPermit held{};
    held.due = due;
    held.permit.cost = cost;
    held.wanted = {{slot, 1}, cost, slot == kRetry};
    line.permits.insert(held);
  }
};

TEST_F(PickerOfOneLine, a_fresh_record_until_the_credit_pays_for_a_retry) {
  EXPECT_EQ(picker.next_of(line), kOld);
  line.credit.earn(line.retry_share, 1);
  EXPECT_EQ(picker.next_of(line), kRetry);
}

TEST_F(PickerOfOneLine, nothing_leaves_before_a_permit_is_due) {
  EXPECT_FALSE(picker.may_send(line, kNow));
  grant(Permits{1}, kOld, kNow + Duration{1});
  EXPECT_FALSE(picker.may_send(line, kNow));
  EXPECT_TRUE(picker.may_send(line, kNow + Duration{1}));
}

TEST_F(PickerOfOneLine, where_costs_differ_a_permit_is_for_the_record_that_asked) {
  options.routes[0].cost_varies = true;
  records[kYoung].cost = Permits{7};
  grant(Permits{7}, kYoung);
  ASSERT_TRUE(picker.may_send(line, kNow));
  EXPECT_EQ(picker.first_of(line), kYoung);
}

TEST_F(PickerOfOneLine, a_permit_of_a_cost_that_nobody_has_is_useless) {
  options.routes[0].cost_varies = true;
  grant(Permits{7}, kYoung);
  EXPECT_FALSE(picker.may_send(line, kNow));
  EXPECT_TRUE(picker.is_useless(line, kNow));
}

TEST_F(PickerOfOneLine, hopeless_is_the_record_that_was_asked_for_while_it_is_there) {
  EXPECT_EQ(picker.hopeless_of(line), kOld);
  line.wanted.push_back({{kYoung, 1}, Permits{1}, false, kNoSlot});
  EXPECT_EQ(picker.hopeless_of(line), kYoung);
  records.move(records[kYoung], RecordState::absent);
  EXPECT_EQ(picker.hopeless_of(line), kNoSlot);
}

}  // namespace
}  // namespace einlass::core::picker_test
