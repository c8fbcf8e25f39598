// The query of a URL: what is read, and that nothing strange is passed over.
#include "config/model/query.h"

#include <gtest/gtest.h>

namespace einlass::config {
namespace {

std::variant<QueryFields, std::string> parse(std::string_view query) {
  return parse_query(query, {"key", "most"}, "ask with ?key=TEXT");
}

TEST(Query, IsDecodedFieldByField) {
  const auto read = parse("key=a%2Fb+c&most=");
  EXPECT_EQ(std::get<QueryFields>(read), (QueryFields{{"key", "a/b c"}, {"most", ""}}));
  EXPECT_TRUE(std::get<QueryFields>(parse("")).empty());
  EXPECT_EQ(std::get<QueryFields>(parse("key")), (QueryFields{{"key", ""}}));
}

TEST(Query, IsRefusedWithTheReason) {
  EXPECT_EQ(std::get<std::string>(parse("kei=1")), "'kei' is not known; ask with ?key=TEXT");
  EXPECT_EQ(std::get<std::string>(parse("key=1&key=2")), "key stands there twice");
  EXPECT_EQ(std::get<std::string>(parse("key=%4")), "the query is not percent-encoded text");
}

}  // namespace
}  // namespace einlass::config
