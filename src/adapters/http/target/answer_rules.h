// What the answers of one target mean: by their status, and where the configuration says so by what
// stands in their bodies.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client/answer.h"
#include "adapters/http/client/response_parser.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/target/secret_mask.h"

namespace einlass::http {

class AnswerRules {
 public:
  // `of_batches`: a body may name the records that failed. Throws std::runtime_error if a body rule
  // has no JSON pointer.
  explicit AnswerRules(const AnswerOptions& options, bool of_batches = false);
  ~AnswerRules();
  AnswerRules(const AnswerRules&) = delete;
  AnswerRules& operator=(const AnswerRules&) = delete;

  core::Outcome outcome(const Answer& answer) const;

  // Whether the body might say otherwise if there were more of it: it decides, ends with the
  // connection, and is no JSON as a whole.
  bool may_be_cut(const Answer& answer) const;

  // How much of a body has to be kept for all this, and for read_batch_answer().
  KeptBody kept_body() const { return kept_; }

 private:
  struct BodyRule;

  static constexpr std::size_t kStatuses = 600;

  std::array<core::Outcome, kStatuses> by_status_;
  std::vector<BodyRule> by_body_;
  const bool of_batches_;
  KeptBody kept_;
};

// The first 200 bytes of a body as one line of printable ASCII, with *** for each secret that the
// server has sent back. Empty for no body.
std::string excerpt(std::string_view body, const SecretMask& mask);

// Where a redirect points, in the same way, without the query, which may hold a secret.
std::string shown_redirect(std::string_view location, const SecretMask& mask);

}  // namespace einlass::http
