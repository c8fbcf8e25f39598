// What a terminal is shown of text from outside.
#include "text/shown.h"

#include <gtest/gtest.h>

namespace einlass {
namespace {

TEST(Shown, has_no_control_characters_of_either_kind) {
  for (unsigned code = 0; code < 0xA0; ++code) {
    if (code >= 0x20 && code < 0x7F) continue;
    std::string raw;
    if (code >= 0x80) raw += '\xC2';
    raw += static_cast<char>(code);
    const std::string text = shown("a" + raw + "b");
    EXPECT_EQ(text.find(raw), text.npos) << code;
    EXPECT_EQ(text[1], '\\') << code;
  }
  EXPECT_EQ(shown("\x1b]0;x\x07\xc2\x9b"
                  "2J\n\r\t\x7f"),
            "\\u001b]0;x\\u0007\\u009b2J\\n\\r\\t\\u007f");
}

TEST(Shown, leaves_letters_as_they_are_and_nothing_that_is_no_utf8) {
  EXPECT_EQ(shown("gr\xc3\xbc\xc3\x9f, \"x\" \\ \xc2\xa0\xe2\x82\xac"),
            "gr\xc3\xbc\xc3\x9f, \"x\" \\ \xc2\xa0\xe2\x82\xac");
  EXPECT_EQ(shown("a\x9b\xff"), "a\xEF\xBF\xBD\xEF\xBF\xBD") << "8-bit terminals obey 0x9B alone";
  EXPECT_EQ(shown(""), "");
}

TEST(Shown, keeps_line_ends_where_lines_are_meant) {
  EXPECT_EQ(shown_lines("{\n  \"a\": \"\xc2\x9b\"\n}\n"), "{\n  \"a\": \"\\u009b\"\n}\n");
  EXPECT_EQ(shown_lines("a\x1b\n\nb"), "a\\u001b\n\nb");
}

}  // namespace
}  // namespace einlass
