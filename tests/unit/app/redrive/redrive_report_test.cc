#include "app/redrive/redrive_report.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

RedriveView half_way() {
  RedriveView view;
  view.topic = "dead";
  view.counts = {.read = 100, .sent = 80, .skipped = 15, .left = 5, .offsets = 100};
  view.books = {.received = 80, .delivered = 60, .dead_lettered = 10, .returned = 0, .inside = 10};
  view.offsets = 200;
  return view;
}

TEST(RedriveReport, a_line_says_how_far_it_is_and_how_long_it_will_take) {
  EXPECT_EQ(
      redrive_line(half_way(), 12.34, Duration::seconds(9)),
      "redrive dead: 100 of 200 read (50 %), 12.3/s, delivered 60, dead again 10, skipped 15, "
      "left 5, inside 10, about 11 s to go");
  RedriveView view = half_way();
  view.books = {};
  view.counts = {};
  EXPECT_NE(redrive_line(view, 0, Duration{}).find("time to go unknown"), std::string::npos);
  view.offsets = 0;
  EXPECT_NE(redrive_line(view, 0, Duration{}).find("0 of 0 read (100 %)"), std::string::npos);
}

TEST(RedriveReport, a_line_that_is_wider_than_the_terminal_takes_one_row_all_the_same) {
  RedriveScreen screen(true, Instant{});
  testing::internal::CaptureStderr();
  screen.show(half_way(), Instant{1'000'000});
  const std::string drawn = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(drawn.starts_with("\r\x1b[2K\x1b[?7lredrive dead: 100 of 200 read")) << drawn;
  EXPECT_TRUE(drawn.ends_with("to go\x1b[?7h")) << "and what comes after it is as before";
}

TEST(RedriveReport, the_books_name_what_an_interruption_left) {
  RedriveView view = half_way();
  view.books.returned = 10;
  view.books.inside = 0;
  EXPECT_TRUE(books_close(view));
  EXPECT_EQ(left_of(view), 15u);
  const std::string books = redrive_books(view);
  EXPECT_NE(books.find("dead: read 100 = delivered 60 + dead again 10 + skipped 15 + left 15\n"),
            std::string::npos);
  EXPECT_NE(books.find("10 of the left were not finished"), std::string::npos);
  EXPECT_NE(books.find("5 of the left could not be sent"), std::string::npos);
  EXPECT_NE(books.find("--from beginning"), std::string::npos);
}

TEST(RedriveReport, what_the_route_leaves_out_is_named_and_finished) {
  RedriveView view = half_way();
  view.books = {.received = 80, .delivered = 60, .dead_lettered = 10, .filtered = 10};
  EXPECT_TRUE(books_close(view));
  EXPECT_EQ(left_of(view), 5u);
  EXPECT_TRUE(redrive_books(view).starts_with(
      "dead: read 100 = delivered 60 + dead again 10 + filtered 10 + skipped 15 + left 5\n"));
  const std::string line = redrive_line(view, 1, Duration::seconds(9));
  EXPECT_NE(line.find("dead again 10, filtered 10, skipped 15"), std::string::npos) << line;
}

TEST(RedriveReport, the_books_do_not_close_when_a_record_is_nowhere) {
  RedriveView view = half_way();
  view.counts.read = 101;
  EXPECT_FALSE(books_close(view));
  view = half_way();
  view.books.delivered = 61;
  EXPECT_FALSE(books_close(view));
  view = half_way();
  view.counts.sent = 79;
  view.counts.read = 99;
  EXPECT_FALSE(books_close(view));
}

TEST(RedriveReport, what_an_earlier_one_finished_is_not_to_be_sent_again) {
  RedriveView view = half_way();
  view.counts.finished = 5;
  const std::string both = redrive_books(view);
  EXPECT_NE(both.find("  5 of the skipped had been finished by an earlier redrive"), both.npos);
  EXPECT_NE(both.find("  10 of the skipped were not chosen"), both.npos);
  view.counts.finished = view.counts.skipped;
  EXPECT_EQ(redrive_books(view).find("were not chosen"), both.npos);
  view.counts.finished = 0;
  EXPECT_EQ(redrive_books(view).find("earlier redrive"), both.npos);
}

}  // namespace
}  // namespace einlass::app
