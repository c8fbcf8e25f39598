// What the answers to a target's requests mean to the gate.
#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/http/target/target_state.h"

namespace einlass::http {
namespace {

constexpr const char* kMayBeCut =
    "the answer may be cut: its body ends with the connection and is no whole JSON";

}  // namespace

std::size_t fitting(std::span<const BatchMember> members) {
  const auto fits = [](const BatchMember& member) { return member.unfit.empty(); };
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), fits));
}

// What the answer means, with what it says of ourselves and not of the record.
core::Outcome Target::State::judge(const Exchange& exchange, Answer& answer) {
  if (const std::string_view fault = certificate_fault(answer); !fault.empty()) {
    answer.trouble = fault;
    answer.needs_repair = true;
    return core::Outcome::retry;
  }
  if (login && answer.status == 401) {
    const auto now = std::chrono::steady_clock::now();
    answer.trouble = "the login is refused";
    answer.refuses_login = true;
    answer.needs_repair = !login->refused(exchange.login, now);
    return core::Outcome::retry;
  }
  if (answer.is_forbidden || answer.is_too_large || answer.is_unfit) {
    return core::Outcome::refused;
  }
  if (!answer.location.empty()) {
    answer.trouble =
        "redirects are not followed (to " + place_of_redirect(answer.location, mask()) + ")";
  }
  const core::Outcome outcome = rules.outcome(answer);
  if (outcome != core::Outcome::accepted || !rules.may_be_cut(answer)) return outcome;
  answer.trouble = kMayBeCut;
  return core::Outcome::retry;
}

// What a server may send back of a request, and nobody is to see.
SecretMask Target::State::mask() const {
  std::vector<std::string> all = url_secrets;
  for (const auto& [header, value] : constant_headers) all.push_back(value);
  if (login) {
    for (std::string& secret : login->secrets()) all.push_back(std::move(secret));
  }
  return SecretMask(std::move(all));
}

void Target::State::ended(Origin& origin, const Exchange& exchange, const Answer& given) {
  const auto now = std::chrono::steady_clock::now();
  Answer answer = given;
  const core::Outcome outcome = judge(exchange, answer);
  origins.judged(origin, exchange, outcome, answer, now);
  if (outcome == core::Outcome::accepted) {
    origins.works(origin);
  } else {
    if (!answer.body.empty()) answer.excerpt = excerpt(answer.body, mask());
    // Of many hosts one that has to be repaired is no reason to call the target unusable.
    if (of_many_hosts && !(answer.refuses_login && origins.others_refuse_login(origin))) {
      answer.needs_repair = false;
    }
    if (outcome == core::Outcome::refused) answer.retry_after.reset();
    origins.fails(origin, answer, now);
  }
  const bool counts = !answer.needs_repair && !answer.refuses_login && !answer.is_suspect;
  Ending ending{outcome, answer.status, {}, std::nullopt, counts};
  if (outcome != core::Outcome::accepted) ending.why = origins.trouble(origin);
  // What one of several asks for is no reason to hold back what goes to the others.
  const bool asks = outcome == core::Outcome::retry && answer.retry_after;
  if (asks && of_many_hosts) ending.wait = *answer.retry_after;
  if (asks && !of_many_hosts) ending.hold = origins.hold_after(origin, *answer.retry_after, now);
  ending.asked = was_asked(answer);
  ending.answered = has_answered(answer);
  ending.too_large = answer.is_too_large;
  tell_all(exchange.record, exchange.attempt, std::move(ending), answer.body);
}

void Target::State::tell(core::RecordId record, core::Attempt attempt, const Ending& ending,
                         std::uint32_t together) {
  if (failed && ending.outcome != core::Outcome::accepted) {
    failed(record, ending.status, ending.why);
  }
  events.push_back(core::DeliveryEnded{record, attempt, ending.outcome, ending.hold, ending.counts,
                                       together, ending.too_large, ending.asked, ending.wait,
                                       ending.answered || ending.status != 0});
}

// Each record of the request that has ended.
void Target::State::tell_all(core::RecordId first, core::Attempt attempt, Ending ending,
                             std::string_view body) {
  const std::vector<BatchMember> members = batches.end(first);
  if (members.empty()) return tell(first, attempt, ending);
  BatchAnswer answer;
  if (ending.outcome == core::Outcome::accepted) {
    answer = read_batch_answer(body, fitting(members));
    if (!answer.trouble.empty()) {
      ending.outcome = core::Outcome::retry;
      ending.why = "the answer does not say which records failed: " + answer.trouble;
      answer.failed.clear();
    }
  }
  tell_each(members, ending, answer);
}

void Target::State::tell_each(const std::vector<BatchMember>& members, const Ending& whole,
                              const BatchAnswer& answer) {
  const bool together = whole.outcome != core::Outcome::accepted;
  const auto count = together ? static_cast<std::uint32_t>(fitting(members)) : 1;
  auto next = answer.failed.begin();
  std::size_t index = 0;
  for (const BatchMember& member : members) {
    if (!member.unfit.empty()) {
      Ending unfit{core::Outcome::refused, 0, member.unfit};
      unfit.asked = false;
      tell(member.record, member.attempt, unfit);
      continue;
    }
    if (next == answer.failed.end() || next->index != index++) {
      tell(member.record, member.attempt, whole, count);
      continue;
    }
    Answer own;
    own.status = next->status;
    const std::string error = excerpt(next->error, mask());
    tell(member.record, member.attempt,
         {rules.outcome(own), own.status,
          "status " + std::to_string(own.status) + " in the answer to its batch" +
              (error.empty() ? "" : ": " + error)});
    ++next;
  }
}

}  // namespace einlass::http
