#include <algorithm>
#include <array>

#include "draw.h"

namespace einlass::simulation {
namespace {

constexpr std::array<std::string_view, kFaults> kNames = {"revoke",
                                                          "lost",
                                                          "crash",
                                                          "stop",
                                                          "commit_failed",
                                                          "commit_slow",
                                                          "answer_lost",
                                                          "answer_late",
                                                          "answer_duplicate",
                                                          "release_lost",
                                                          "store_down",
                                                          "store_empty",
                                                          "target_retry",
                                                          "target_refused",
                                                          "retry_after",
                                                          "target_hangs",
                                                          "target_slow",
                                                          "delivery_duplicate",
                                                          "dead_letter_failed",
                                                          "oversleep",
                                                          "stall",
                                                          "never",
                                                          "target_fails",
                                                          "target_held",
                                                          "target_unusable",
                                                          "target_says_which",
                                                          "transaction_unknown",
                                                          "target_answers",
                                                          "record_fails",
                                                          "reload",
                                                          "bad_key",
                                                          "too_large",
                                                          "not_asked",
                                                          "record_waits",
                                                          "commit_settled",
                                                          "moved",
                                                          "stand_in",
                                                          "value",
                                                          "paused",
                                                          "filtered",
                                                          "expires",
                                                          "early",
                                                          "handed_on"};

}  // namespace

std::string_view name_of(Fault fault) { return kNames[static_cast<std::size_t>(fault)]; }

std::optional<Fault> fault_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Fault>(found - kNames.begin());
}

}  // namespace einlass::simulation
