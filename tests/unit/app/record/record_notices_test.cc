// A thousand records with the same fault are one thing to tell, not a thousand.
#include "app/record/record_notices.h"

#include <gtest/gtest.h>

#include "app/service/recent.h"
#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

kafka::Message message_at(std::int64_t offset, std::string_view topic = "orders") {
  kafka::Message message;
  message.topic = topic;
  message.number = PartitionNumber{2};
  message.offset = Offset{offset};
  message.value = "12345";
  return message;
}

TEST(RecordNotices, are_the_same_for_each_record_that_stands_beside_as_an_example) {
  const Stored first(message_at(17)), second(message_at(18)), other(message_at(17, "bills"));
  const Notice one = header_not_forwarded(first.record, "baggage");
  EXPECT_EQ(one.what, "header_not_forwarded");
  EXPECT_EQ(one.example, "orders-2@17");
  EXPECT_EQ(one.detail, header_not_forwarded(second.record, "baggage").detail);
  EXPECT_NE(one.detail, header_not_forwarded(other.record, "baggage").detail);
  EXPECT_NE(one.detail, header_not_forwarded(first.record, "tracestate").detail);
  EXPECT_EQ(one.detail, header_not_forwarded(first.record, "BagGage").detail);
  EXPECT_NE(one.detail.find("more than head_bytes"), std::string::npos) << "whatever that is";
}

TEST(RecordNotices, name_the_topic_that_takes_no_record_of_a_size) {
  const Stored first(message_at(17)), second(message_at(18));
  const Notice one = dead_letter_too_large(first.record, "orders.dead");
  EXPECT_EQ(one.example, "orders-2@17 (5 bytes)");
  EXPECT_NE(one.detail.find("the dead letter topic orders.dead takes"), std::string::npos);
  EXPECT_EQ(one.detail, dead_letter_too_large(second.record, "orders.dead").detail);
}

TEST(RecordNotices, say_why_records_go_to_the_dead_letter_topic) {
  const Stored stored(message_at(17));
  const std::string text = "records of route orders go to the dead letter topic orders.dead: ";
  EXPECT_EQ(dead_lettered(stored.record, "orders", "bad_key", "orders.dead").detail,
            text + "bad_key");
  RecordStore store({JsonNeeds{}});
  StoredRecord& refused = store[store.put(message_at(18), core::RouteId{0})];
  refused.last_status = 422;
  refused.last_error = "status 422: 12345 is no order";
  const Notice one = dead_lettered(refused, "orders", "refused", "orders.dead");
  EXPECT_EQ(one.detail, text + "refused (status 422)") << "nothing that the server wrote";
  EXPECT_EQ(one.example, "orders-2@18");
}

TEST(RecordNotices, do_not_wash_away_the_last_things_that_were_told) {
  Recent recent;
  recent.add({Severity::error, "redis_down", "refused"}, Instant{1});
  for (int i = 0; i < 1'000; ++i) {
    const Stored stored(message_at(i));
    recent.add(header_not_forwarded(stored.record, "baggage"), Instant{2 + i});
  }
  const auto entries = recent.entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].notice.what, "redis_down");
  EXPECT_EQ(entries[1].at, Instant{1'001});
  EXPECT_EQ(entries[1].notice.example, "orders-2@999");
}

}  // namespace
}  // namespace einlass::app
