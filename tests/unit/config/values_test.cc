// Texts to values and back, and the small parts that need no file around them.
#include "config/text/values.h"

#include <limits>

#include "config/model/address.h"
#include "config/text/expand.h"
#include "config/text/suggest.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Duration duration(std::string_view text) {
  return std::get<Duration>(parse_duration(text, {{0}, {kMost}}));
}
limits::Rate rate(std::string_view text) { return std::get<limits::Rate>(parse_rate(text)); }
Bytes bytes(std::string_view text) { return std::get<Bytes>(parse_size(text, {{0}, {kMost}})); }

TEST(Values, Durations) {
  EXPECT_EQ(duration("1us"), Duration{1});
  EXPECT_EQ(duration("250ms"), Duration{250'000});
  EXPECT_EQ(duration("1.5s"), Duration{1'500'000});
  EXPECT_EQ(duration("0.000001s"), Duration{1});
  EXPECT_EQ(duration("0.25m"), Duration{15'000'000});
  EXPECT_EQ(duration("1.50ms"), Duration{1'500});
  EXPECT_EQ(duration("5m"), Duration{300'000'000});
  EXPECT_EQ(duration("1h"), Duration{3'600'000'000});
  EXPECT_EQ(duration("7d"), Duration{604'800'000'000});
  EXPECT_EQ(duration("0"), Duration{0});
  EXPECT_EQ(duration("106751992d"), Duration{kMost});
  EXPECT_EQ(duration("0.000000005d"), Duration{432}) << "whole, though not digit by digit";
  for (const char* fine : {"0.0000001s", "0.0000000200002d", "0.00000000000000000001d"}) {
    EXPECT_TRUE(refused(parse_duration(fine, {{0}, {kMost}}))) << fine;
  }
  EXPECT_EQ(to_text(Duration{90'000'000}), "90s");
  EXPECT_EQ(to_text(Duration{1'500'000}), "1500ms");
}

TEST(Values, Rates) {
  EXPECT_EQ(rate("100/s"), (limits::Rate{1, 10'000}));
  EXPECT_EQ(rate("6000/m"), rate("100/s"));
  EXPECT_EQ(rate("10/h"), (limits::Rate{1, 360'000'000}));
  EXPECT_EQ(rate("1/3s"), (limits::Rate{1, 3'000'000}));
  EXPECT_EQ(rate("20/d"), (limits::Rate{1, 4'320'000'000}));
  EXPECT_EQ(rate("7/1.5s"), (limits::Rate{7, 1'500'000}));
  EXPECT_EQ(rate("3000000/s"), (limits::Rate{3, 1}));
  EXPECT_EQ(to_text(rate("100/s")), "100/s");
  EXPECT_EQ(rate("0/s"), (limits::Rate{0, 1}));  // Denies everything.
  EXPECT_EQ(to_text(rate("0/h")), "0/s");
  EXPECT_EQ(to_text(rate("7/13s")), "7/13s");
}

TEST(Values, Sizes) {
  EXPECT_EQ(bytes("512KiB"), Bytes{524'288});
  EXPECT_EQ(bytes("16MiB"), Bytes{16 << 20});
  EXPECT_EQ(bytes("1GiB"), Bytes{1 << 30});
  EXPECT_EQ(bytes("1000B"), Bytes{1'000});
  EXPECT_EQ(bytes("64kB"), Bytes{64'000});
  EXPECT_EQ(to_text(Bytes{64'000}), "64000B");
  EXPECT_EQ(to_text(Bytes{0}), "0B");
}

// Whatever is written comes back.
TEST(Values, TextsReadBack) {
  for (std::int64_t n = 1; n < (std::int64_t{1} << 50); n = n * 3 + 1) {
    EXPECT_EQ(duration(to_text(Duration{n})), Duration{n});
    EXPECT_EQ(bytes(to_text(Bytes{n})), Bytes{n});
    for (const std::int64_t micros : {1, 7, 1'000, 3'000'000, 60'000'000}) {
      const limits::Rate reduced = limits::reduced({n, micros});
      EXPECT_EQ(rate(to_text(reduced)), reduced);
    }
  }
}

std::string expanded(std::string_view text) {
  const auto result = expand(text, test_environment);
  if (const auto* mistake = std::get_if<ExpandMistake>(&result)) return "! " + mistake->text;
  return std::get<Expanded>(result).text;
}

TEST(Expand, Variables) {
  EXPECT_EQ(expanded("a${TEN}b${TEN}"), "a10b10");
  EXPECT_EQ(expanded("${NOT_SET:-x:y-z}"), "x:y-z");
  EXPECT_EQ(expanded("${NOT_SET:-}"), "");
  EXPECT_EQ(expanded("${EMPTY:-x}"), "x");
  EXPECT_EQ(expanded("${EMPTY}"), "");
  EXPECT_EQ(expanded("${TEN:-x}${TEN:?y}"), "1010");
  EXPECT_EQ(expanded("$$${TEN}$${TEN}"), "$10${TEN}");
  EXPECT_EQ(expanded("${NOT_SET:-$$a$$$$}"), "$a$$");
  EXPECT_EQ(expanded("${NOT_SET:-a$b}"),
            "! a lone $; write $$ for a dollar, or ${NAME} for a variable");
  EXPECT_EQ(expanded(""), "");
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "${SECRET}";
  EXPECT_EQ(expanded(many), "! longer than 64KiB once its variables are filled in");
}

// What a variable holds is text: it is not looked into for variables.
TEST(Expand, OnlyOnce) {
  const auto environment = [](const std::string&) -> std::optional<std::string> { return "${A}"; };
  EXPECT_EQ(std::get<Expanded>(expand("${B}", environment)).text, "${A}");
}

TEST(Suggest, OnlySlipsOfTheHand) {
  const std::vector<std::string_view> known = {"window", "limit", "rate"};
  EXPECT_EQ(nearest("windwo", known), "window");
  EXPECT_EQ(nearest("lim", known), std::nullopt);
  EXPECT_EQ(nearest("limits", known), "limit");
  EXPECT_EQ(nearest("Rate", known), "rate");
  EXPECT_EQ(nearest("xyz", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(10'000, 'w'), known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
}

TEST(Address, SecretsInQueries) {
  EXPECT_EQ(without_secrets("http://h/a"), "http://h/a");
  EXPECT_EQ(without_secrets("http://h/?a=b&Token=c&d"), "http://h/?a=b&Token=***&d");
  EXPECT_EQ(without_secrets("http://h/?password="), "http://h/?password=***");
}

TEST(Address, SecretsWhoseNamesDoNotSaySo) {
  EXPECT_EQ(without_secrets("https://h/api/x?code=Ab%2Fc_1234==&v=1&w=1234567"),
            "https://h/api/x?code=***&v=1&w=1234567");
  EXPECT_EQ(without_secrets("https://h/?Code=short&sig=a&sum=short"),
            "https://h/?Code=***&sig=***&sum=short");
  EXPECT_EQ(without_secrets("https://h/services/T0000/B000000/xoxb012/1abcdefg"),
            "https://h/services/T0000/B000000/xoxb012/***");
  EXPECT_EQ(without_secrets("https://h/bot123456:ABC-DEF1234ghI/send?a=b"),
            "https://h/***/send?a=b");
  EXPECT_EQ(without_secrets("https://h/in?9f86d081&v"), "https://h/in?***&v");
  EXPECT_EQ(without_secrets("https://h/{{xoxb0123}}/{{a}}"), "https://h/***/{{a}}");
  EXPECT_EQ(without_secrets("h:81/xoxb0123{json:/a://b}/c"), "h:81/***/c");
  for (const char* url :
       {"https://h/", "https://h", "h:80", "https://h/callbacks/of-all-our-results",
        "https://host-0123456789-abcdef.example/", "https://h/webhooks/v2/1234567",
        "https://h/{json:/order/0123456789ab?}/x?order={json:/a&b=c/id}&w={{of}}", "?", "/?&=&"}) {
    EXPECT_EQ(without_secrets(url), url);
  }
}

TEST(Address, SecretsAsTheyAreMeant) {
  using All = std::vector<std::string>;
  EXPECT_EQ(secrets_in("https://h/0123456789abcde%2F/?code=a%20b/c?d==&key=k"),
            (All{"0123456789abcde/", "a b/c?d==", "k"}));
  EXPECT_EQ(secrets_in("https://h/?code=12345678%zz"), All{"12345678%zz"});
  EXPECT_EQ(secrets_in("https://h/callbacks/of-all-our-results/v2/1234567?w={{of}}&page=1"),
            (All{"callbacks", "of-all-our-results"}))
      << "a word may be one as well";
  EXPECT_EQ(secrets_in("https://host-0123456789-abcdef.example/in/{json:/order/0123456789}"),
            All{});
  EXPECT_EQ(secrets_in("https://h/{key}?token={header:t}"), All{}) << "it is the record's";
  EXPECT_EQ(secrets_in("https://h/xoxb0123-{key}?token=abc.{header:t}&of=orders.of.{key}"),
            (All{"xoxb0123-", "abc.", "orders.of."}))
      << "but not what stands beside that";
  EXPECT_EQ(without_secrets("https://h/xoxb0123-{key}?of=orders.of.{key}"), "https://h/***?of=***");
  EXPECT_EQ(all_in("/a%2Fb/{key}c?d=e{{f"), (All{"a/b", "c", "d", "e", "f"}));
  EXPECT_EQ(without_secrets("https://h/{key}?token={header:t}"), "https://h/{key}?token=***");
  EXPECT_TRUE(may_hold_secret("https://h/0123456789abcdef"));
  EXPECT_FALSE(may_hold_secret("https://h/callbacks"));
}

}  // namespace
}  // namespace einlass::config
