#include "app/json/json_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/json/json_oddities.h"

namespace einlass::app {
namespace {

using Kind = JsonScalar::Kind;

struct Read {
  explicit Read(std::string_view value) : text(value) {
    text.append(JsonReader::kPadding, '"');  // Whatever stands behind it, it is not of it.
    form = reader.read(std::string_view(text).substr(0, value.size()));
  }
  std::string at(const std::string& pointer) {
    if (!form.readable) return "not JSON";
    const JsonScalar found = reader.find(JsonPointer(pointer));
    return found.kind == Kind::none ? "none" : std::string(found.text);
  }

  JsonReader reader;
  std::string text;
  JsonForm form;
};

std::string at(const std::string& pointer, std::string_view value) {
  return Read(value).at(pointer);
}

TEST(JsonReader, finds_texts_numbers_and_truths) {
  Read read(
      R"({"a": {"b": [10, "x", false], "~/": true, "": "empty"}, "deep": [[]], "none": null})");
  EXPECT_EQ(read.at("/a/b/0"), "10");
  EXPECT_EQ(read.at("/a/b/1"), "x");
  EXPECT_EQ(read.at("/a/b/2"), "false");
  EXPECT_EQ(read.at("/a/~0~1"), "true");
  EXPECT_EQ(read.at("/a/"), "empty");
  for (const char* nowhere : {"/a/b/3", "/a/b/00", "/a/b/-", "/a/b/", "/a/b/x", "/a/b/-1", "/a",
                              "/deep", "/none", "/", "/a/b/0/c", "/a/b/99999999999999999999"}) {
    EXPECT_EQ(read.at(nowhere), "none") << nowhere;
  }
}

// Each takes the parser 10 us (simdjson 3.0.1), so a record full of them would stop everybody: they
// are written with few digits before it reads them.
TEST(JsonReader, many_numbers_that_take_long_to_read_are_what_they_are) {
  const auto list_of = [](int count, const std::string& number) {
    std::string text = R"({"a": ["x")";
    for (int i = 0; i < count; ++i) text += "," + number;
    return text + "]}";
  };
  for (const char* const number :
       {"1.2345678901234567891e-300", "12345678901234567891e280", "-0.12345678901234567891E+30",
        "1.00000000000000000000e5", "-0.00000000000000000000e9", "9007199254740993.00000e-2",
        "4.9406564584124654418e-324", "1.7976931348623157081e308", "1.2345678901234567891e-400",
        "1.2345678901234567891", "1e300", "\"12345678901234567891e300\""}) {
    const std::string text = list_of(1'000, number);
    const nlohmann::json last = nlohmann::json::parse(text)["a"].back();
    EXPECT_EQ(at("/a/1000", text), last.is_string() ? last.get<std::string>() : last.dump());
    EXPECT_EQ(at("/a/0", text), "x") << number;
  }
  const std::string slow = "1.2345678901234567891e-300", few = "1.2345678901234568e-300";
  EXPECT_FALSE(has_many_slow_numbers(list_of(16, slow)));
  EXPECT_TRUE(has_many_slow_numbers(list_of(17, slow)));
  EXPECT_FALSE(has_many_slow_numbers(list_of(1'000, "1.234567890123456789e-300")));
  EXPECT_FALSE(has_many_slow_numbers(list_of(1'000, "1.2345678901234567891")));
  std::string written;
  write_without_oddities(list_of(17, slow), written);
  EXPECT_EQ(written, list_of(17, few));
  for (const char* const none :
       {"01.2345678901234567891e5", "1234567890123456789012.e5", ".12345678901234567891e5",
        "1.2345678901234567891e", "1.23456789.01234567891e5", "1.2345678901234567891e999"}) {
    EXPECT_EQ(at("/a/0", list_of(1'000, none)), "not JSON") << none;
    EXPECT_EQ(at("/a/0", list_of(1, none)), "not JSON") << none;
  }
}

TEST(JsonReader, the_last_of_several_members_counts) {
  EXPECT_EQ(at("/a", R"({"a": 1, "b": 2, "a": "two"})"), "two");
  EXPECT_EQ(at("/a/x", R"({"a": {"x": 1}, "a": {"y": 2}})"), "none");
  EXPECT_EQ(at("/a", R"({"\u0061": 1, "a": 2, "\u0061": 3})"), "3");
}

TEST(JsonReader, numbers_are_written_as_ever) {
  struct Case {
    const char* number;
    const char* key;
  };
  for (const auto& [number, key] :
       std::vector<Case>{{"0", "0"},
                         {"-0", "0"},
                         {"-1", "-1"},
                         {"18446744073709551615", "18446744073709551615"},
                         {"-9223372036854775808", "-9223372036854775808"},
                         {"18446744073709551616", "1.8446744073709552e+19"},
                         {"-9223372036854775809", "-9.223372036854776e+18"},
                         {"123456789012345678901234567890", "1.2345678901234568e+29"},
                         {"1.0", "1.0"},
                         {"-0.0", "-0.0"},
                         {"1e3", "1000.0"},
                         {"1E+2", "100.0"},
                         {"0.1", "0.1"},
                         {"1e-7", "1e-07"},
                         {"1e300", "1e+300"},
                         {"1e-400", "0.0"},
                         {"1.00000000000000000000001", "1.0"},
                         {"12345678901234567890.5", "1.2345678901234567e+19"}}) {
    EXPECT_EQ(at("/n", std::string("{\"n\": ") + number + "}"), key);
    EXPECT_EQ(nlohmann::json::parse(number).dump(), key) << "the library that wrote them first";
  }
}

TEST(JsonReader, a_wide_integer_leaves_the_rest_as_it_is) {
  Read read(R"({"wide": 123456789012345678901, "s": "99999999999999999999 \" 99999999999999999999",
                "u": 18446744073709551615, "i": -9223372036854775808, "f": 1e00000000000000000002})");
  EXPECT_TRUE(read.form.listable);
  EXPECT_EQ(read.at("/wide"), "1.2345678901234568e+20");
  EXPECT_EQ(read.at("/s"), "99999999999999999999 \" 99999999999999999999");
  EXPECT_EQ(read.at("/u"), "18446744073709551615");
  EXPECT_EQ(read.at("/i"), "-9223372036854775808");
  EXPECT_EQ(read.at("/f"), "100.0");
}

TEST(JsonReader, escapes_are_undone) {
  EXPECT_EQ(at("/a", R"({"a": "\"\\\/\b\f\n\r\t\u00fc"})"), "\"\\/\b\f\n\r\t\u00fc");
  EXPECT_EQ(at("/a", R"({"a": "\ud83d\ude00"})"), "\U0001f600");
  EXPECT_EQ(at("/a", R"({"a": "x\u0000y"})"), std::string("x\0y", 3));
}

TEST(JsonReader, what_is_not_json_is_neither_read_nor_listed) {
  const std::string deep(5'000, '[');
  const std::string wrong[] = {"",
                               " ",
                               "{",
                               "{\"a\":1",
                               "{} {}",
                               "[1,]",
                               "{\"a\":1,}",
                               "01",
                               "1.",
                               ".5",
                               "+1",
                               "-",
                               "1e",
                               "nul",
                               "truee",
                               "NaN",
                               "Infinity",
                               "1e400",
                               "'a'",
                               "{a:1}",
                               "\"\xff\"",
                               "\"\xed\xa0\x80\"",
                               "\"\xc0\xaf\"",
                               "\"\t\"",
                               "\"\\x\"",
                               "\"\\u12\"",
                               "\"\\ud800\"",
                               "\"\\ud800\\u0041\"",
                               "[1] // why",
                               "1],[2",
                               "[99999999999999999999",
                               "[00000000000000000000001]",
                               "\xef\xbb\xbf\xef\xbb\xbf{}",
                               "\xfe\xff",
                               deep,
                               std::string("{\"a\":\"\0\"}", 9),
                               std::string("{\"a\":\0 1}", 9),
                               std::string(400, '9')};
  for (const std::string& value : wrong) {
    const Read read(value);
    EXPECT_FALSE(read.form.readable) << value;
    EXPECT_FALSE(read.form.listable) << value;
  }
}

TEST(JsonReader, a_mark_before_and_a_nul_behind_are_left_out_and_not_listed) {
  const std::string wide = "{\"a\":99999999999999999999}";
  for (const std::string& value :
       {std::string("\xef\xbb\xbf{\"a\":1}"), std::string("{\"a\":1}\0", 8),
        std::string("{\"a\":1}\0],[", 11), std::string("\xef\xbb\xbf{\"a\":1}\0x", 12)}) {
    Read read(value);
    EXPECT_EQ(read.at("/a"), "1");
    EXPECT_FALSE(read.form.listable) << value;
  }
}

TEST(JsonReader, half_a_pair_may_stand_in_a_list_and_is_no_text) {
  for (const char* value :
       {R"(["\udc80"])", R"({"\uDFFF": 99999999999999999999})", R"(["\ud83d\ude00\ude00"])"}) {
    const Read read(value);
    EXPECT_FALSE(read.form.readable) << value;
    EXPECT_TRUE(read.form.listable) << value;
  }
  for (const char* value : {R"(["\udc8"])", R"(["\udc8x"])", R"(["\ud800\ud800\udc00"])"}) {
    EXPECT_FALSE(Read(value).form.listable) << value;
  }
  EXPECT_EQ(at("/0", R"(["\\udc80"])"), "\\udc80");
}

TEST(JsonReader, nesting_takes_no_stack) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_TRUE(Read(deep).form.listable);
  EXPECT_EQ(at("/a", "{\"b\":" + deep + ",\"a\":\"x\"}"), "x");
  EXPECT_EQ(at("/0/0", "[[\"x\"" + std::string(2'000, '[') + "]]"), "not JSON");
}

TEST(JsonReader, nesting_has_no_bound_also_where_something_stands_innermost) {
  for (const std::size_t depth : {1'023, 1'024, 1'025, 2'000}) {
    const std::string lists = std::string(depth, '[') + "1" + std::string(depth, ']');
    EXPECT_TRUE(Read(lists).form.listable) << depth;
    std::string objects = "1";
    for (std::size_t i = 0; i < depth; ++i) objects = "{\"a\":" + objects + "}";
    EXPECT_TRUE(Read(objects).form.readable) << depth;
  }
}

TEST(JsonReader, reads_one_after_the_other_of_any_size) {
  JsonReader reader;
  for (const std::size_t size : {0, 10, 3'000'000, 10, 100'000, 5'000'000, 1}) {
    std::string text = "{\"a\":\"" + std::string(size, 'x') + "\"}";
    const std::size_t length = text.size();
    text.append(JsonReader::kPadding, '\0');
    ASSERT_TRUE(reader.read(std::string_view(text).substr(0, length)).readable);
    EXPECT_EQ(reader.find(JsonPointer("/a")).text.size(), size);
    reader.forget();
  }
}

}  // namespace
}  // namespace einlass::app
