#include "text/span_words.h"

#include <gtest/gtest.h>

namespace einlass {
namespace {

TEST(SpanWords, are_as_exact_as_people_want_them) {
  EXPECT_EQ(span_in_words(Duration::millis(420)), "420 ms");
  EXPECT_EQ(span_in_words(Duration{1}), "1 ms") << "never less than it is";
  EXPECT_EQ(span_in_words(Duration{2'340'000}), "2.4 s");
  EXPECT_EQ(span_in_words(Duration::seconds(119)), "119.0 s");
  EXPECT_EQ(span_in_words(Duration::seconds(301)), "6 min");
  EXPECT_EQ(span_in_words(Duration::seconds(7'200)), "120 min");
  EXPECT_EQ(span_in_words(Duration::seconds(3 * 3'600)), "3 h");
  EXPECT_EQ(span_in_words(Duration::seconds(3 * 3'600 + 1'200)), "3 h 20 min");
  EXPECT_EQ(span_in_words(Duration::seconds(98 * 3'600)), "4 d 2 h");
  EXPECT_EQ(span_in_words(Duration{-5}), "1 ms");
}

}  // namespace
}  // namespace einlass
