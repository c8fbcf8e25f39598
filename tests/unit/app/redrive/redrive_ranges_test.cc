#include "app/redrive/redrive_ranges.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

struct Sample {
  // Partition 0 from 100 to 200, partition 1 from 0 to 50.
  std::vector<kafka::PartitionState> states = {
      {PartitionNumber{0}, Offset{100}, Offset{200}, Offset{-1}, {}},
      {PartitionNumber{1}, Offset{0}, Offset{50}, Offset{-1}, {}}};
  RedriveOptions options;
  std::vector<std::optional<Offset>> at_time;
  std::vector<std::string> told;

  std::vector<RedriveRange> ranges() {
    told.clear();
    return redrive_ranges(options, "dead", states, at_time,
                          [this](const Notice& notice) { told.push_back(notice.what); });
  }

  // "0:100-200 1:0-50"
  std::string text() {
    std::string all;
    for (const RedriveRange& range : ranges()) {
      all += (all.empty() ? "" : " ") + std::to_string(range.read.number.value) + ":" +
             std::to_string(range.read.start.value) + "-" + std::to_string(range.read.end.value);
    }
    return all;
  }
};

TEST(RedriveRanges, begin_where_the_last_redrive_ended) {
  Sample sample;
  sample.states[0].committed = Offset{150};
  sample.states[1].committed = Offset{50};
  EXPECT_EQ(sample.text(), "0:150-200 1:50-50");
  EXPECT_TRUE(sample.told.empty());
  sample.options.from.kind = From::Kind::beginning;
  EXPECT_EQ(sample.text(), "0:100-200 1:0-50");
}

TEST(RedriveRanges, are_all_there_is_where_kafka_has_no_progress_which_is_said) {
  Sample sample;
  EXPECT_EQ(sample.text(), "0:100-200 1:0-50");
  EXPECT_EQ(sample.told, std::vector<std::string>{"redrive_no_progress"});
  sample.options.from.kind = From::Kind::beginning;
  sample.told.clear();
  EXPECT_EQ(sample.text(), "0:100-200 1:0-50");
  EXPECT_TRUE(sample.told.empty()) << "it was asked for";
}

TEST(RedriveRanges, have_no_progress_only_where_they_are_read) {
  Sample sample;
  sample.states[1].committed = Offset{20};
  sample.options.partition = 1;
  EXPECT_EQ(sample.text(), "1:20-50");
  EXPECT_TRUE(sample.told.empty()) << "nobody reads partition 0";
  sample.options.partition = 0;
  EXPECT_EQ(sample.text(), "0:100-200");
  EXPECT_EQ(sample.told, std::vector<std::string>{"redrive_no_progress"});
}

TEST(RedriveRanges, pass_over_what_the_last_one_had_sent_ahead) {
  Sample sample;
  sample.states[0].committed = Offset{90};
  sample.states[1].committed = Offset{0};
  sample.states[0].metadata =
      core::write_finished(Offset{90}, std::vector<core::OffsetRange>{{Offset{95}, Offset{110}},
                                                                      {Offset{120}, Offset{130}},
                                                                      {Offset{190}, Offset{230}}});
  const RedriveRange first = sample.ranges()[0];
  EXPECT_EQ(first.read.start, Offset{100});
  const std::vector<core::OffsetRange> expected = {
      {Offset{100}, Offset{110}}, {Offset{120}, Offset{130}}, {Offset{190}, Offset{200}}};
  EXPECT_EQ(first.finished, expected);
  EXPECT_EQ(sample.told, std::vector<std::string>{"redrive_letters_gone"});
}

TEST(RedriveRanges, tell_what_became_of_a_progress_that_fits_no_more) {
  Sample sample;
  sample.states[0].committed = Offset{201};
  sample.states[1].committed = Offset{10};
  sample.states[1].metadata = "of somebody else";
  EXPECT_EQ(sample.text(), "0:100-200 1:10-50");
  EXPECT_EQ(sample.told,
            (std::vector<std::string>{"redrive_topic_is_new", "redrive_progress_unreadable"}));
}

TEST(RedriveRanges, from_offsets_stay_within_what_is_there) {
  Sample sample;
  sample.options.from.kind = From::Kind::offset;
  sample.options.from.offset = Offset{50};
  EXPECT_EQ(sample.text(), "0:100-200");
  EXPECT_EQ(sample.told,
            (std::vector<std::string>{"redrive_letters_gone", "redrive_nothing_there"}));
  sample.options.from.kind = From::Kind::offsets;
  sample.options.from.offsets = {{PartitionNumber{1}, Offset{20}}};
  EXPECT_EQ(sample.text(), "1:20-50");
  sample.options.partition = 1;
  EXPECT_EQ(sample.text(), "1:20-50");
  sample.options.partition = 0;
  EXPECT_THROW(sample.ranges(), WrongRange) << "else nothing is read, and nobody is told why";
}

// Else a slip of the finger would count all letters as sent.
TEST(RedriveRanges, leave_out_what_ends_before_an_offset_or_at_it) {
  Sample sample;
  sample.options.from.kind = From::Kind::offset;
  sample.options.from.offset = Offset{150};
  EXPECT_EQ(sample.text(), "0:150-200");
  EXPECT_EQ(sample.told, std::vector<std::string>{"redrive_nothing_there"});
  sample.options.from.offset = Offset{200};
  EXPECT_EQ(sample.text(), "");
  sample.options.from.offset = Offset{99'999};
  EXPECT_EQ(sample.text(), "");
}

TEST(RedriveRanges, leave_out_what_has_no_letter_of_a_time_or_later) {
  Sample sample;
  sample.options.from.kind = From::Kind::time;
  sample.at_time = {std::nullopt, Offset{17}};
  EXPECT_EQ(sample.text(), "1:17-50");
  EXPECT_TRUE(sample.told.empty()) << "the others have some";
  sample.at_time = {Offset{200}, std::nullopt};
  EXPECT_EQ(sample.text(), "");
  EXPECT_EQ(sample.told, std::vector<std::string>{"redrive_nothing_there"});
}

TEST(RedriveRanges, refuse_a_partition_that_is_not_there) {
  Sample sample;
  sample.options.partition = 2;
  EXPECT_THROW(sample.ranges(), WrongRange);
  sample.options.partition.reset();
  sample.options.from.kind = From::Kind::offsets;
  sample.options.from.offsets = {{PartitionNumber{5}, Offset{20}}};
  EXPECT_THROW(sample.ranges(), WrongRange);
}

}  // namespace
}  // namespace einlass::app
