// What several folders do with the bytes of a text.
#include "text/ascii.h"

#include <gtest/gtest.h>

#include "units/fnv1a.h"

namespace einlass {
namespace {

TEST(Text, names_are_the_same_in_any_case_of_ascii_letters_and_of_no_others) {
  EXPECT_TRUE(same_name("Content-Type", "content-tYPE"));
  EXPECT_TRUE(same_name("", ""));
  EXPECT_FALSE(same_name("Host", "Hosts"));
  EXPECT_FALSE(same_name("a[", "a{"));              // 0x20 apart, as letters are.
  EXPECT_FALSE(same_name("\xC3\x84", "\xC3\xA4"));  // An umlaut, large and small.
  EXPECT_EQ(lower("AZ[az{@\xC4"), "az[az{@\xC4");
}

TEST(Text, control_characters_are_all_but_the_tab) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    EXPECT_EQ(has_control(std::string("a") + c), (byte < 0x20 && byte != '\t') || byte == 0x7F)
        << byte;
    EXPECT_EQ(is_visible(std::string("a") + c), byte > 0x20 && byte < 0x7F) << byte;
  }
}

TEST(Text, a_token_has_no_separators_and_is_not_empty) {
  EXPECT_TRUE(is_token("X-Request_id!#$%&'*+.^`|~9"));
  for (const std::string_view no : {"", "a b", "a:b", "a/b", "a\tb", "a(b", "\xC3\xA4"}) {
    EXPECT_FALSE(is_token(no)) << no;
  }
  EXPECT_FALSE(is_token(std::string_view("a\0b", 3)));
}

TEST(Text, bytes_as_digits) {
  std::string text = "x";
  append_hex(text, std::string_view("\x00\x9a\xff", 3));
  EXPECT_EQ(text, "x009aff");
  append_escaped(text, "\\x", '\xAB');
  EXPECT_EQ(text, "x009aff\\xAB");
}

TEST(Text, percent_encoding_leaves_what_is_unreserved_and_comes_back) {
  std::string text;
  append_percent_encoded(text, "Az09-._~/ \xC3\xA4%", "/");
  EXPECT_EQ(text, "Az09-._~/%20%C3%A4%25");
  text.clear();
  append_percent_encoded(text, "a/b");
  EXPECT_EQ(text, "a%2Fb");
  EXPECT_EQ(percent_byte("%c3 and more"), '\xC3');
  for (const std::string_view no : {"", "%", "%4", "%4g", "%g4", "%+4", "% 4", "%-1", "41"}) {
    EXPECT_EQ(percent_byte(no), std::nullopt) << no;
  }
}

TEST(Text, hosts_with_their_ports) {
  EXPECT_EQ(host_and_port("redis", 6379), "redis:6379");
  EXPECT_EQ(host_and_port("::1", 80), "[::1]:80");
  EXPECT_EQ(host_and_port("[::1]", 80), "[::1]:80");
  EXPECT_EQ(without_brackets("[::1]"), "::1");
  EXPECT_EQ(without_brackets("host"), "host");
}

// The vectors of its authors (Fowler, Noll, Vo).
TEST(Text, fnv1a_is_the_one_that_others_compute) {
  static_assert(fnv1a("") == 0xcbf29ce484222325);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
}

}  // namespace
}  // namespace einlass
