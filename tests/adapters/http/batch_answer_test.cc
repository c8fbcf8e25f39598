// What a server says of the records of one request.
#include "adapters/http/target/batch_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace einlass::http {
namespace {

TEST(BatchAnswer, who_is_not_named_is_accepted) {
  for (const char* body :
       {"", "ok", "[1]", "{}", "{\"failed\": []}", "{\"failed\": null}", "<html>{</html>"}) {
    const BatchAnswer answer = read_batch_answer(body, 3);
    EXPECT_TRUE(answer.failed.empty()) << body;
    EXPECT_EQ(answer.trouble, "") << body;
  }
}

TEST(BatchAnswer, names_records_by_their_place_in_any_order) {
  const BatchAnswer answer = read_batch_answer(
      R"( {"failed": [{"index": 2, "status": 503}, {"index": 0, "status": 422, "error": "no"}]})",
      3);
  ASSERT_EQ(answer.failed.size(), 2u);
  EXPECT_EQ(answer.failed[0].index, 0u);
  EXPECT_EQ(answer.failed[0].status, 422u);
  EXPECT_EQ(answer.failed[0].error, "no");
  EXPECT_EQ(answer.failed[1].index, 2u);
  EXPECT_EQ(answer.failed[1].error, "");
}

TEST(BatchAnswer, a_byte_order_mark_is_passed_over) {
  const BatchAnswer answer =
      read_batch_answer("\xef\xbb\xbf{\"failed\": [{\"index\": 1, \"status\": 503}]}", 3);
  EXPECT_EQ(answer.trouble, "");
  ASSERT_EQ(answer.failed.size(), 1u);
  EXPECT_EQ(answer.failed[0].index, 1u);
}

TEST(BatchAnswer, a_list_that_cannot_be_used_is_told) {
  const std::pair<std::string, std::string> wrong[] = {
      {"{", "its body is not JSON"},
      {R"({"failed": 3})", "failed is no list of at most 3 entries"},
      {R"({"failed": [3]})", "an entry of failed is no object"},
      {R"({"failed": [{"status": 400}]})", "an entry of failed has no index from 0 to 2"},
      {R"({"failed": [{"index": 3, "status": 400}]})",
       "an entry of failed has no index from 0 to 2"},
      {R"({"failed": [{"index": -1, "status": 400}]})",
       "an entry of failed has no index from 0 to 2"},
      {R"({"failed": [{"index": 1}]})", "an entry of failed has no status from 100 to 599"},
      {R"({"failed": [{"index": 1, "status": 600}]})",
       "an entry of failed has no status from 100 to 599"},
      {R"({"failed": [{"index": 1, "status": 400}, {"index": 1, "status": 400}]})",
       "failed names index 1 twice"},
      {"{" + std::string(kMostBatchAnswer - 1, ' '), "its body is longer than 64 KiB"},
  };
  for (const auto& [body, trouble] : wrong) {
    EXPECT_EQ(read_batch_answer(body, 3).trouble, trouble) << body.substr(0, 80);
  }
}

}  // namespace
}  // namespace einlass::http
