// What a target has in one shard (target.cc), how its attempts begin (target_requests.cc), and what
// their answers mean to the gate (target_answers.cc).
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/client/kept_request.h"
#include "adapters/http/login/login.h"
#include "adapters/http/target/answer_rules.h"
#include "adapters/http/target/batch_answer.h"
#include "adapters/http/target/batches.h"
#include "adapters/http/target/gzip.h"
#include "adapters/http/target/origins.h"
#include "adapters/http/target/secret_mask.h"
#include "adapters/http/target/target.h"
#include "adapters/http/target/webhook_signer.h"

namespace einlass::http {

// How many are in the body.
std::size_t fitting(std::span<const BatchMember> members);

struct Target::State final : OriginOwner {
  State(boost::asio::io_context& context, const TargetOptions& options, core::Events& to,
        Notify notify);

  TargetStatus status() const;
  void send(const Request& request);
  void let_next_turn_come();
  void begin_waiting();
  // `compressed`: its body; empty: as it is.
  void begin(const Request& request, std::string_view compressed);
  void not_made(const Request& request, core::Outcome outcome, std::string_view why,
                Duration wait = {});
  Request prepared(const Request& request, std::string_view compressed);
  void add_signature(const Request& request);
  void turn_away(core::DeliveryEnded ended);
  void end_turned_away();
  void start(core::TargetId as);
  void pulse();
  void look();
  void take_over(State& before);
  void hold_without_login();
  // `login_used`: which generation of the login the request had.
  core::Outcome judge(std::uint32_t login_used, Answer& answer);
  void tell_all(core::DeliveryEnded ended, const std::vector<FailedRecord>& failed,
                std::uint32_t login_used);
  void tell_each(const std::vector<BatchMember>& members, const core::DeliveryEnded& whole,
                 const std::vector<FailedRecord>& failed, std::uint32_t login_used);
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
  bool retired = false;
  const std::string name;
  const Notify notify;
  const std::string standing_warning;            // Of the configuration.
  std::string files_trouble;                     // Of renewed files, as was told.
  std::vector<RequestHeader> headers;            // Of the last prepared request.
  const bool of_many_hosts;                      // Which the records name.
  std::string sent_at;                           // As webhook-timestamp has it.
  std::vector<core::DeliveryEnded> turned_away;  // No request was made; at most max_in_flight.
  std::deque<KeptRequest> waiting;               // To be compressed, in order.
  std::size_t compressed_now = 0;                // Bytes, in this turn of the loop.
  bool turn_comes = false;                       // The next one counts from 0.
  Batches batches;
  Origins origins;
  boost::asio::steady_timer timer;
  std::shared_ptr<const int> alive = std::make_shared<int>(0);  // A late handler finds it gone.
};

}  // namespace einlass::http
