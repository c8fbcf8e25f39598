#include "text/utf8.h"

#include <gtest/gtest.h>

namespace einlass {
namespace {

TEST(Utf8Prefix, ends_at_a_whole_sequence) {
  EXPECT_EQ(utf8_prefix("abc", 3), "abc");
  EXPECT_EQ(utf8_prefix("abc", 2), "ab");
  EXPECT_EQ(utf8_prefix("a\u00e4b", 2), "a");
  EXPECT_EQ(utf8_prefix("a\u00e4b", 3), "a\u00e4");
  EXPECT_EQ(utf8_prefix("\U0001F600", 3), "");
}

}  // namespace
}  // namespace einlass
