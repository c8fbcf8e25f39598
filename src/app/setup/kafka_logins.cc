#include "app/setup/kafka_logins.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "adapters/http/client/target_options.h"
#include "app/setup/config_refused.h"

namespace einlass::app {
namespace {

using std::chrono::steady_clock;

constexpr Duration kAskTimeout = Duration::seconds(10);

// What is taken for the life of a token whose server does not say.
constexpr Duration kUnknownLife = Duration::seconds(300);

// Tokens that brokers refuse are renewed, but not more often.
constexpr std::chrono::seconds kRefusedGap{5};

constexpr std::chrono::milliseconds kTick{250};

std::int64_t ms_since_1970(std::chrono::system_clock::time_point at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

}  // namespace

KafkaLogin::KafkaLogin(boost::asio::io_context& io, std::string path,
                       const KafkaLoginOptions& options, Notify notify)
    : path_(std::move(path)),
      client_id_(options.login.token.client_id),
      notify_(std::move(notify)),
      secret_(options.login.secret, net::header_trouble),
      client_(io, options.login.token, {}, options.certificates, kAskTimeout,
              [this](const http::TokenAnswer& answer) { token_came(answer); }) {
  tokens_->failing(path_ + ": no token yet from " + client_.peer());
}

void KafkaLogin::look() {
  const auto now = steady_clock::now();
  client_.look();
  const bool another_secret = secret_.look();
  if (answered_ && !trouble_.empty() && renewal_.has_expired(now)) tokens_->failing(trouble_);
  if (client_.is_asking()) return;
  const bool refused =
      trouble_.empty() && now >= renewal_.asked_at() + kRefusedGap && tokens_->take_refusal();
  // Another secret may be what it takes.
  if (refused || (another_secret && !trouble_.empty())) renewal_.hurry(now);
  if (!renewal_.is_due(now)) return;
  renewal_.asked(now);
  client_.ask(secret_.value());
}

void KafkaLogin::token_came(const http::TokenAnswer& answer) {
  answered_ = true;
  if (answer.token.empty()) return failed(answer.trouble);
  const Duration life = answer.life.value_or(kUnknownLife);
  const auto end = std::chrono::system_clock::now() - (steady_clock::now() - renewal_.asked_at()) +
                   std::chrono::microseconds(life.us);
  const std::string refused = tokens_->renew({answer.token, ms_since_1970(end), client_id_});
  if (!refused.empty()) return failed(refused);
  renewal_.came(life);
  if (std::exchange(trouble_, {}).empty()) return;
  notify_({Severity::info, "kafka_login_ok", path_ + ": there is a token again"});
}

// An older token is used as long as it is good.
void KafkaLogin::failed(const std::string& why) {
  const auto now = steady_clock::now();
  renewal_.failed(now);
  std::string trouble = path_ + ": no token from " + client_.peer() + ": " + why;
  if (renewal_.has_expired(now)) tokens_->failing(trouble);
  if (trouble == trouble_) return;
  trouble_ = std::move(trouble);
  notify_({Severity::warning, "kafka_login_failing", trouble_ + " (asked again for ever)"});
}

KafkaLogins::KafkaLogins(boost::asio::io_context& io, const config::Config& config,
                         const Notify& notify)
    : io_(io), tick_(io) {
  const auto add = [&](const std::string& path, const config::HttpAuth& oauth) {
    try {
      logins_.push_back(std::make_unique<KafkaLogin>(io, path, kafka_login_options(oauth), notify));
    } catch (const std::exception& error) {
      throw ConfigRefused(path + ": " + error.what());
    }
    return logins_.size() - 1;
  };
  if (config.kafka.oauth) source_ = add("kafka.oauth", *config.kafka.oauth);
  for (const config::Target& target : config.targets) {
    const config::KafkaTarget* kafka = target.kafka();
    targets_.push_back(kafka == nullptr || !kafka->oauth ? kNone
                       : kafka->own_oauth
                           ? add("targets." + target.name + ".kafka.oauth", *kafka->oauth)
                           : source_);
  }
}

void KafkaLogins::start() {
  if (logins_.empty()) return;
  for (const auto& login : logins_) login->look();
  tick_.expires_after(kTick);
  tick_.async_wait([this](const boost::system::error_code& error) {
    if (!error) start();
  });
}

void KafkaLogins::wait(Duration patience) {
  const auto end = steady_clock::now() + std::chrono::microseconds(patience.us);
  const auto answered = [](const auto& login) { return login->answered(); };
  while (!std::all_of(logins_.begin(), logins_.end(), answered) && steady_clock::now() < end) {
    io_.run_one_until(end);
  }
}

std::shared_ptr<kafka::Tokens> KafkaLogins::at(std::size_t login) const {
  return login == kNone ? nullptr : logins_[login]->tokens();
}

std::shared_ptr<kafka::Tokens> KafkaLogins::of_source() const { return at(source_); }

std::shared_ptr<kafka::Tokens> KafkaLogins::of_target(std::size_t target) const {
  return at(targets_[target]);
}

}  // namespace einlass::app
