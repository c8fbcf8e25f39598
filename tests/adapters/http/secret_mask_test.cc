// What people see of an answer in which a server repeats our secrets.
#include "adapters/http/target/secret_mask.h"

#include <gtest/gtest.h>

namespace einlass::http {
namespace {

std::string hidden(const std::string& text, const std::vector<std::string>& secrets) {
  return SecretMask(secrets).hidden(text, 10'000);
}

TEST(SecretMask, hides_a_secret_wherever_it_stands_and_the_longer_one_whole) {
  EXPECT_EQ(hidden("not hunter2, hunter2 seeds", {"hunter2", "hunter2 seeds"}), "not ***, ***");
  EXPECT_EQ(hidden("hunter2hunter2", {"hunter2"}), "******");
  EXPECT_EQ(hidden("hunter", {"hunter2"}), "hunter");
  EXPECT_EQ(hidden("", {"hunter2"}), "");
}

TEST(SecretMask, takes_no_short_text_for_a_secret) {
  EXPECT_EQ(hidden("an apple", {"a", "", "app"}), "an apple");
  EXPECT_EQ(hidden("an apple", {"appl"}), "an ***e");
}

TEST(SecretMask, knows_how_urls_write_it) {
  const std::vector<std::string> secrets = {"ab/cd+ef=="};
  for (const char* text :
       {"ab/cd+ef==", "ab%2Fcd%2Bef%3D%3D", "ab%2fcd%2bef%3d%3d", "ab/cd ef=="}) {
    EXPECT_EQ(hidden("no " + std::string(text) + "!", secrets), "no ***!");
  }
  EXPECT_EQ(hidden("?q=ab+cd", {"ab cd"}), "?q=***");
}

TEST(SecretMask, knows_how_json_writes_it) {
  const std::vector<std::string> secrets = {"ab/c<\"\\d"};
  for (const char* text :
       {R"(ab/c<\"\\d)", R"(ab\/c<\"\\d)", R"(ab\u002fc\u003C\u0022\u005cd)", R"(ab/c<"\d)"}) {
    EXPECT_EQ(hidden("{\"" + std::string(text) + "\"}", secrets), R"({"***"})") << text;
  }
  EXPECT_EQ(hidden(R"(gr\u00fc\u00df\ud83d\ude00e)", {"gr\u00fc\u00df\U0001F600e"}), "***");
}

TEST(SecretMask, knows_how_html_writes_it) {
  const std::vector<std::string> secrets = {"a&b<c>d\"e'f+g"};
  for (const char* text :
       {"a&amp;b&lt;c&gt;d&quot;e&apos;f+g", "a&#38;b&#60;c&#62;d&#34;e&#39;f&#43;g",
        "a&#x26;b&#x3c;c&#X3E;d&#x22;e&#x27;f&#x2B;g"}) {
    EXPECT_EQ(hidden("<p>" + std::string(text) + "</p>", secrets), "<p>***</p>") << text;
  }
}

TEST(SecretMask, is_not_led_astray_by_what_begins_like_an_escape) {
  for (const char* text : {"\\", "\\u", "\\u00", "\\q", "&", "&amp", "&;", "&#;", "&#x;",
                           "&#99999999;", "%", "%4", "%zz", "100 % + 1"}) {
    EXPECT_EQ(hidden(text, {"secret"}), text);
  }
  EXPECT_EQ(hidden("\\\\\\\\", {"\\\\\\\\"}), "***");
  EXPECT_EQ(hidden("100%25 sure", {"100%25"}), "*** sure");
}

TEST(SecretMask, ends_early_though_a_server_writes_what_begins_like_a_secret_for_ever) {
  const std::string slashes(60, '\\');
  const std::string text(1'000'000, '\\');
  EXPECT_LE(SecretMask({slashes + "x"}).hidden(text, 200).size(), 200u);
}

// Each \ of the text may be itself or begin an escape, and the secret may begin with each.
TEST(SecretMask, hides_what_would_take_too_long_to_look_through) {
  const std::string slashes(500, '\\');
  const std::string shown = SecretMask({slashes + "x"}).hidden(std::string(16'000, '\\'), 200);
  EXPECT_TRUE(shown.ends_with("***")) << shown;
}

TEST(SecretMask, shows_no_part_of_a_secret_that_lies_across_the_end_of_what_is_shown) {
  const std::string secret = "s" + std::string(1'000, 'e') + "cret";
  EXPECT_EQ(SecretMask({secret}).hidden("no " + secret + secret, 5), "no ***");
}

}  // namespace
}  // namespace einlass::http
