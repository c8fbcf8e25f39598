// What a request carries besides its record, and what its answer means to the gate.
#include "adapters/http/target.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>

#include "adapters/http/answer_rules.h"
#include "adapters/http/batch_answer.h"
#include "adapters/http/gzip.h"
#include "adapters/http/login.h"
#include "adapters/http/origins.h"
#include "adapters/http/webhook_signer.h"

namespace einlass::http {
namespace {

// How often files and tokens are looked after.
constexpr std::chrono::milliseconds kPulse{250};

// While there is no login the gate is told again before the last hold has run out.
constexpr Duration kHoldWithoutLogin = Duration::millis(500);

constexpr const char* kNotVerified =
    "its certificate is not verified (verify: false), so anybody on the way may read and answer";

constexpr const char* kTooManyHosts = "requests to too many hosts are under way";
constexpr const char* kMayBeCut =
    "the answer may be cut: its body ends with the connection and is no whole JSON";

std::optional<TlsContext> tls_context(const TargetOptions& options) {
  if (!options.tls) return std::nullopt;
  return TlsContext(options.certificates, options.http2 != Http2::never);
}

// How many are in the body.
std::size_t fitting(std::span<const BatchMember> members) {
  const auto fits = [](const BatchMember& member) { return member.unfit.empty(); };
  return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), fits));
}

}  // namespace

struct Target::State final : OriginOwner {
  // What became of an attempt, or of all those of one request.
  struct Ending {
    core::Outcome outcome;
    unsigned status = 0;  // Of the answer; 0: there was none.
    std::string why;      // Where it was not accepted.
    std::optional<Duration> hold{};
    bool counts = true;
    bool asked = true;  // As in core::DeliveryEnded.
    Duration wait{};
  };
  // An attempt for which no request is made.
  struct TurnedAway {
    core::RecordId record;
    core::Attempt attempt;
    core::Outcome outcome;
    std::string why;
    Duration wait{};
  };

  State(boost::asio::io_context& context, const TargetOptions& options, core::Events& to,
        Notify notify);

  TargetStatus status() const;
  void send(const Request& request);
  Request prepared(const Request& request);
  void add_signature(const Request& request);
  void turn_away(TurnedAway one);
  void end_turned_away();
  void start(core::TargetId as);
  void pulse();
  void look();
  void hold_without_login();
  core::Outcome judge(const Exchange& exchange, Answer& answer);
  void tell(core::RecordId record, core::Attempt attempt, const Ending& ending,
            std::uint32_t together = 1);
  void tell_all(core::RecordId first, core::Attempt attempt, Ending ending, std::string_view body);
  void tell_each(const std::vector<BatchMember>& members, const Ending& whole,
                 const BatchAnswer& answer);
  SecretMask mask() const;

  void ended(Origin& origin, const Exchange& exchange, const Answer& answer) override;

  boost::asio::io_context& io;
  core::Events& events;
  const AnswerRules rules;
  const std::vector<std::pair<std::string, std::string>> constant_headers;
  const std::vector<std::string> url_secrets;
  std::optional<TlsContext> tls;
  std::optional<Login> login;
  std::optional<WebhookSigner> signer;
  std::optional<Gzip> gzip;
  core::TargetId id;
  const std::string name;
  const Notify notify;
  const std::string standing_warning;  // Of the configuration.
  std::string files_trouble;           // Of renewed files, as was told.
  Failed failed;
  std::vector<RequestHeader> headers;   // Of the last prepared request.
  const bool of_many_hosts;             // Which the records name.
  std::string sent_at;                  // As webhook-timestamp has it.
  std::vector<TurnedAway> turned_away;  // At most max_in_flight.
  Batches batches;
  Origins origins;
  boost::asio::steady_timer timer;
  std::shared_ptr<const int> alive = std::make_shared<int>(0);  // A late handler finds it gone.
};

Target::State::State(boost::asio::io_context& context, const TargetOptions& options,
                     core::Events& to, Notify tell)
    : io{context},
      events{to},
      rules{options.answers, options.batches},
      constant_headers{options.headers},
      url_secrets{options.url_secrets},
      tls{tls_context(options)},
      name{options.name},
      notify{std::move(tell)},
      standing_warning{options.tls && !options.certificates.verify ? kNotVerified : ""},
      of_many_hosts{options.host_of_record},
      origins{context, options, tls ? &*tls : nullptr, rules.kept_body(), *this, notify},
      timer{context} {
  if (options.gzip) gzip.emplace();
  if (!options.sign.secret.value.empty()) signer.emplace(options.sign);
  if (options.login.kind != LoginOptions::Kind::none) {
    login.emplace(
        io, name, options.login, options.proxy, options.certificates, options.timeout,
        [this] { origins.set_authorization(login->header()); }, notify);
    origins.set_authorization(login->header());
  }
}

void Target::State::start(core::TargetId as) {
  id = as;
  if (!standing_warning.empty() && notify) {
    notify({Severity::warning, "target_not_verified", "target " + name + ": " + standing_warning});
  }
  pulse();
}

// Again and again.
void Target::State::pulse() {
  if (login) login->look(std::chrono::steady_clock::now());
  hold_without_login();
  timer.expires_after(kPulse);
  timer.async_wait([this, still = std::weak_ptr(alive)](boost::system::error_code) {
    if (still.expired()) return;
    look();
    pulse();
  });
}

// Takes files that were renewed, and says which cannot be taken.
void Target::State::look() {
  if (tls) tls->look();
  if (signer) signer->look();
  origins.look(std::chrono::steady_clock::now());
  std::string trouble = tls ? tls->trouble() : "";
  if (trouble.empty() && signer) trouble = signer->trouble();
  if (trouble == files_trouble) return;
  files_trouble = std::move(trouble);
  if (!notify) return;
  if (files_trouble.empty()) {
    notify({Severity::info, "target_files_ok", "the files of target " + name + " are used again"});
  } else {
    notify({Severity::warning, "target_files_refused", "target " + name + ": " + files_trouble});
  }
}

void Target::State::hold_without_login() {
  if (!login || !login->header().empty()) return;
  events.push_back(core::TargetHold{id, kHoldWithoutLogin});
}

void Target::State::send(const Request& request) {
  if (!request.members.empty()) {
    batches.begin(request.members);
    if (fitting(request.members) == 0) {
      return turn_away({request.record, request.attempt, core::Outcome::refused, {}});
    }
  }
  if (login && login->header().empty()) {  // It began before the gate heard of the hold.
    return turn_away({request.record, request.attempt, core::Outcome::retry, login->trouble()});
  }
  const auto now = std::chrono::steady_clock::now();
  Origin* const origin = origins.choose(request, now);
  if (origin == nullptr) {
    return turn_away({request.record, request.attempt, core::Outcome::retry, kTooManyHosts});
  }
  if (const auto pause = origins.pause_of(*origin, now)) {
    return turn_away({request.record, request.attempt, core::Outcome::retry,
                      std::string(pause->why), pause->wait});
  }
  origins.begins(*origin, request.record);
  const Exchange exchange{request.record, request.attempt, login ? login->generation() : 0, now};
  origin->send(gzip || signer ? prepared(request) : request, exchange, now);
}

// Its views live until the next call. Signed is what is sent.
Request Target::State::prepared(const Request& request) {
  Request prepared = request;
  headers.assign(request.headers.begin(), request.headers.end());
  const std::string_view compressed = gzip ? gzip->compress(request.body) : std::string_view();
  if (!compressed.empty()) {
    headers.push_back({"Content-Encoding", "gzip"});
    prepared.body = compressed;
  }
  if (signer) add_signature(prepared);
  prepared.headers = headers;
  return prepared;
}

void Target::State::add_signature(const Request& request) {
  std::array<char, 24> digits;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto since_1970 = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  const auto end = std::to_chars(digits.begin(), digits.end(), since_1970).ptr;
  sent_at.assign(digits.begin(), end);
  headers.push_back({"webhook-id", request.id});
  headers.push_back({"webhook-timestamp", sent_at});
  headers.push_back({"webhook-signature", signer->sign(request.id, sent_at, request.body)});
}

// Ends the attempt, but not inside send().
void Target::State::turn_away(TurnedAway one) {
  turned_away.push_back(std::move(one));
  if (turned_away.size() > 1) return;
  boost::asio::post(io, [this, still = std::weak_ptr(alive)] {
    if (!still.expired()) end_turned_away();
  });
}

void Target::State::end_turned_away() {
  for (const TurnedAway& one : turned_away) {
    const bool counts = one.outcome == core::Outcome::refused;
    tell_all(one.record, one.attempt,
             {one.outcome, 0, one.why, std::nullopt, counts, false, one.wait}, {});
  }
  turned_away.clear();
  hold_without_login();
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
  if (answer.is_forbidden) return core::Outcome::refused;
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
  const bool counts = !answer.needs_repair && !answer.refuses_login;
  Ending ending{outcome, answer.status, {}, std::nullopt, counts};
  if (outcome != core::Outcome::accepted) ending.why = origins.trouble(origin);
  // What one of several asks for is no reason to hold back what goes to the others.
  const bool asks = outcome == core::Outcome::retry && answer.retry_after;
  if (asks && of_many_hosts) ending.wait = *answer.retry_after;
  if (asks && !of_many_hosts) ending.hold = origins.hold_after(origin, *answer.retry_after, now);
  ending.asked = !answer.is_forbidden;
  tell_all(exchange.record, exchange.attempt, std::move(ending), answer.body);
}

void Target::State::tell(core::RecordId record, core::Attempt attempt, const Ending& ending,
                         std::uint32_t together) {
  if (failed && ending.outcome != core::Outcome::accepted) {
    failed(record, ending.status, ending.why);
  }
  events.push_back(core::DeliveryEnded{record, attempt, ending.outcome, ending.hold, ending.counts,
                                       together, false, ending.asked, ending.wait,
                                       ending.status != 0});
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

Target::Target(boost::asio::io_context& io, const TargetOptions& options, core::Events& events,
               Notify notify)
    : state_{std::make_unique<State>(io, options, events, std::move(notify))} {}

Target::~Target() = default;

void Target::start(core::TargetId id) { state_->start(id); }
void Target::send(const Request& request) { state_->send(request); }

void Target::refuse(core::RecordId record, core::Attempt attempt, std::string why) {
  state_->turn_away({record, attempt, core::Outcome::refused, std::move(why)});
}

void Target::tell_failures(Failed failed) { state_->failed = std::move(failed); }
TargetStatus Target::status() const { return state_->status(); }

TargetStatus Target::State::status() const {
  TargetStatus status;
  status.connections = origins.connections();
  status.in_flight = origins.in_flight() + turned_away.size();
  status.trouble = origins.trouble();
  status.unusable = origins.unusable();
  status.warning = standing_warning.empty() ? files_trouble : standing_warning;
  if (status.warning.empty()) status.warning = origins.warning();
  if (!login) return status;
  if (login->header().empty()) status.unusable = login->trouble();
  if (status.warning.empty()) status.warning = login->trouble();
  return status;
}

}  // namespace einlass::http
