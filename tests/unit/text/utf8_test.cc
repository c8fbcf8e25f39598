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

TEST(EscapedUtf8, tells_any_two_texts_apart) {
  EXPECT_EQ(escaped_utf8("a\u00e4\\b"), "a\u00e4\\b");
  EXPECT_EQ(escaped_utf8("\xfe\xff"), "\\xFE\\xFF");
  EXPECT_EQ(escaped_utf8("\\xFE"), "\\x5CxFE");
}

}  // namespace
}  // namespace einlass
