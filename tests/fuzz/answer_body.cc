// Whatever stands in the body of an answer: rules find their way in it or not, what is shown of it
// is one short line without a secret, and what it says of a batch is about records that are in it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/target/answer_rules.h"
#include "adapters/http/target/batch_answer.h"
#include "units/check.h"

namespace {

using namespace einlass;

const http::AnswerRules& rules() {
  static const http::AnswerRules kRules(
      http::AnswerOptions{.by_status = {},
                          .by_body = {{"/error/code", "LIMIT", core::Outcome::retry},
                                      {"/0/-", "x", core::Outcome::accepted},
                                      {"/01", "x", core::Outcome::accepted},
                                      {"/99999999999999999999", "x", core::Outcome::accepted},
                                      {"/a~1b/~0", "true", core::Outcome::refused}}});
  return kRules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  http::Answer answer{.status = 400, .retry_after = {}, .trouble = {}};
  answer.body = {reinterpret_cast<const char*>(data), size};
  rules().outcome(answer);
  const http::SecretMask mask({"hunter2", "secret", "a/b+c \\<\"&"});
  const std::string shown = http::excerpt(answer.body, mask);
  CHECK(shown.size() <= 200);
  CHECK(std::all_of(shown.begin(), shown.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
  CHECK(shown.find("hunter2") == std::string::npos);
  http::shown_redirect(answer.body, mask);
  const std::size_t records = 1 + size % 7;
  const http::BatchAnswer batch = http::read_batch_answer(answer.body, records);
  CHECK(batch.failed.size() <= records || !batch.trouble.empty());
  for (const http::FailedRecord& one : batch.failed) CHECK(one.index < records);
  return 0;
}
