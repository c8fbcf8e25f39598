// What the answers to a target's requests mean to the gate.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/target/target_state.h"
#include "text/ascii.h"

namespace einlass::http {
namespace {

constexpr const char* kMayBeCut =
    "the answer may be cut: its body ends with the connection and is no whole JSON";

// Whether a request with several records is to be tried again for the sake of one, as far as that
// can be: not where the server asks for time (RFC 9110, section 15: 408, 429; RFC 8470: 425), is
// unavailable (502 to 504), or has not answered.
bool may_be_over_one(const Answer& answer) {
  static constexpr unsigned kOverItself[] = {0, 408, 425, 429, 502, 503, 504};
  if (answer.ends_connections) return true;
  return !answer.retry_after && !answer.needs_repair && !answer.refuses_login &&
         std::ranges::find(kOverItself, answer.status) == std::end(kOverItself);
}

// A server that repeats a credential leaves out its scheme (`Bearer abc`), or a cookie's name.
void add_secrets_of(std::string_view header, std::string_view value,
                    std::vector<std::string>& all) {
  all.emplace_back(value);
  if (lower(header) == "cookie") {
    while (!value.empty()) {
      const std::string_view one = value.substr(0, value.find(';'));
      value.remove_prefix(std::min(value.size(), one.size() + 1));
      all.emplace_back(one.substr(std::min(one.size(), one.find('=') + 1)));
    }
    return;
  }
  const std::size_t blank = value.find(' ');
  const bool has_scheme = blank != value.npos && blank == value.rfind(' ') &&
                          value.substr(0, blank).find_first_of(",;=") == value.npos;
  if (has_scheme) all.emplace_back(value.substr(blank + 1));
}

// Which records an accepted batch has failed. Where its answer does not say that, it was not
// accepted.
BatchAnswer judge_each(const Exchange& exchange, Answer& answer, core::Outcome& outcome) {
  if (outcome != core::Outcome::accepted || exchange.members.empty()) return {};
  BatchAnswer batch = read_batch_answer(answer.body, fitting(exchange.members));
  if (batch.trouble.empty()) return batch;
  outcome = core::Outcome::retry;
  answer.trouble = "the answer does not say which records failed: " + batch.trouble;
  batch.failed.clear();
  return batch;
}

}  // namespace

std::size_t fitting(std::span<const BatchMember> members) {
  const auto fits = [](const BatchMember& member) { return member.unfit.empty(); };
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), fits));
}

// What the answer means, with what it says of ourselves and not of the record.
core::Outcome Target::State::judge(std::uint32_t login_used, Answer& answer) {
  if (const std::string_view fault = certificate_fault(answer); !fault.empty()) {
    answer.trouble = fault;
    answer.needs_repair = true;
    return core::Outcome::retry;
  }
  if (login && answer.status == 401) {
    const auto now = std::chrono::steady_clock::now();
    answer.trouble = "the login is refused";
    answer.refuses_login = true;
    answer.needs_repair = !login->refused(login_used, now);
    return core::Outcome::retry;
  }
  if (answer.is_forbidden || answer.is_too_large || answer.is_unfit) {
    return core::Outcome::refused;
  }
  if (!answer.location.empty()) {
    answer.trouble = "redirects are not followed";
    answer.points_to = shown_redirect(answer.location, mask());
  }
  const core::Outcome outcome = rules.outcome(answer);
  if (outcome != core::Outcome::accepted || !rules.may_be_cut(answer)) return outcome;
  answer.trouble = kMayBeCut;
  return core::Outcome::retry;
}

// What a server may send back of a request, and nobody is to see.
SecretMask Target::State::mask() const {
  std::vector<std::string> all = url_secrets;
  for (const auto& [header, value] : constant_headers) add_secrets_of(header, value, all);
  if (login) {
    for (std::string& secret : login->secrets()) all.push_back(std::move(secret));
  }
  return SecretMask(std::move(all));
}

void Target::State::ended(Origin& origin, const Exchange& exchange, const Answer& given) {
  const auto now = std::chrono::steady_clock::now();
  Answer answer = given;
  core::Outcome outcome = judge(exchange.login, answer);
  const BatchAnswer batch = judge_each(exchange, answer, outcome);
  const bool counted = counts(answer);  // What people have to repair is no record's fault anywhere.
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
  core::DeliveryEnded ended{exchange.record, exchange.attempt, outcome};
  ended.counts = counted;
  if (outcome != core::Outcome::accepted) ended.reason = origins.trouble(origin);
  // What one of several asks for is no reason to hold back what goes to the others.
  const bool asks = outcome == core::Outcome::retry && answer.retry_after;
  if (asks && of_many_hosts) ended.wait = *answer.retry_after;
  if (asks && !of_many_hosts) {
    ended.hold_target = origins.hold_after(origin, *answer.retry_after, now);
  }
  ended.asked = was_asked(answer);
  ended.sent = was_sent(answer);
  ended.status = answer.status;
  ended.answered = has_answered(answer);
  // One that does not say which records failed may be shorter for fewer.
  const bool may_be = !batch.trouble.empty() || may_be_over_one(answer);
  ended.over_one = outcome == core::Outcome::retry && may_be;
  ended.too_large = answer.is_too_large;
  tell_all(std::move(ended), batch.failed, exchange.login);
}

// Each record of the request that has ended; `ended` is what became of it as a whole.
void Target::State::tell_all(core::DeliveryEnded ended, const std::vector<FailedRecord>& failed,
                             std::uint32_t login_used) {
  const std::vector<BatchMember> members = batches.end(ended.record);
  if (members.empty()) return events.push_back(std::move(ended));
  if (ended.outcome != core::Outcome::accepted) {
    ended.together = static_cast<std::uint32_t>(fitting(members));
  }
  tell_each(members, ended, failed, login_used);
}

void Target::State::tell_each(const std::vector<BatchMember>& members,
                              const core::DeliveryEnded& whole,
                              const std::vector<FailedRecord>& failed, std::uint32_t login_used) {
  auto next = failed.begin();
  std::size_t index = 0;
  for (const BatchMember& member : members) {
    core::DeliveryEnded ended{member.record, member.attempt, core::Outcome::refused};
    if (!member.unfit.empty()) {
      ended.asked = ended.sent = false;
      ended.reason = member.unfit;
    } else if (next == failed.end() || next->index != index++) {
      ended = whole;
      ended.record = member.record;
      ended.attempt = member.attempt;
    } else {
      Answer own;
      own.status = next->status;
      const std::string error = excerpt(next->error, mask());
      ended.outcome = judge(login_used, own);
      ended.counts = counts(own);
      ended.status = own.status;
      ended.answered = own.status != 0;
      ended.reason = "status " + std::to_string(own.status) + " in the answer to its batch" +
                     (error.empty() ? "" : ": " + error);
      ++next;
    }
    events.push_back(std::move(ended));
  }
}

}  // namespace einlass::http
