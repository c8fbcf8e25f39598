#include "app/setup/kafka_logins.h"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

#include "app/setup/config_refused.h"
#include "app/setup/wiring.h"
#include "config/options/kafka_login.h"

namespace einlass::app {
namespace {

using std::chrono::steady_clock;

// What is taken for the life of a token whose server does not say.
constexpr Duration kUnknownLife = Duration::seconds(300);

// Tokens that brokers refuse are renewed, but not more often.
constexpr std::chrono::seconds kRefusedGap{5};

constexpr std::chrono::milliseconds kTick{250};

// By how much earlier than it must this process gets its next tokens: gates that were started at
// once do not all ask at once.
double drawn_share() {
  std::random_device random;
  return std::uniform_real_distribution<double>()(random);
}

std::int64_t ms_since_1970(std::chrono::system_clock::time_point at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

}  // namespace

KafkaLogin::KafkaLogin(std::string path, const MakeSource& make_source, Notify notify)
    : path_(std::move(path)),
      notify_(std::move(notify)),
      source_(make_source([this](const http::TokenAnswer& answer) { token_came(answer); })),
      renewal_(drawn_share()) {
  login_->failing(path_ + ": no " + source_->in_words() + " yet");
}

void KafkaLogin::look() {
  const auto now = steady_clock::now();
  const bool something_new = source_->look();
  if (answered_) tell();
  if (!token_trouble_.empty() && renewal_.has_expired(now)) login_->failing(trouble_);
  if (source_->is_asking()) return;
  const bool refused =
      token_trouble_.empty() && now >= renewal_.asked_at() + kRefusedGap && login_->take_refusal();
  if (refused) source_->was_refused();
  if (refused || something_new) renewal_.hurry(now);
  if (!renewal_.is_due(now)) return;
  renewal_.asked(now);
  source_->ask();
}

void KafkaLogin::token_came(const http::TokenAnswer& answer) {
  answered_ = true;
  if (answer.token.empty()) return failed(answer.trouble);
  const Duration life = answer.life.value_or(kUnknownLife);
  const auto end = std::chrono::system_clock::now() - (steady_clock::now() - renewal_.asked_at()) +
                   std::chrono::microseconds(life.us);
  const std::string refused =
      login_->renew({answer.token, ms_since_1970(end), source_->principal()});
  if (!refused.empty()) return failed(refused);
  renewal_.came(life);
  token_trouble_ = answer.trouble;
  tell();
}

// An older token is used as long as it is good.
void KafkaLogin::failed(const std::string& why) {
  const auto now = steady_clock::now();
  renewal_.failed(now);
  token_trouble_ = why;
  tell();
  if (renewal_.has_expired(now)) login_->failing(trouble_);
}

// A secret that cannot be read is told at once, though a token is there: there will be none.
void KafkaLogin::tell() {
  const bool has_token = token_trouble_.empty();
  const std::string why = has_token ? source_->trouble() : token_trouble_;
  const std::string what = (has_token ? ": no new " : ": no ") + source_->in_words();
  std::string trouble = why.empty() ? "" : path_ + what + ": " + why;
  if (trouble == trouble_) return;
  trouble_ = std::move(trouble);
  if (trouble_.empty()) {
    notify_({Severity::info, "kafka_login_ok", path_ + ": works again"});
  } else {
    notify_({Severity::warning, "kafka_login_failing", trouble_ + " (the gate keeps asking)"});
  }
}

KafkaLogins::KafkaLogins(boost::asio::io_context& io, const config::Config& config,
                         const Notify& notify)
    : io_(io), tick_(io) {
  source_ = add("kafka", config.kafka, notify);
  for (const config::Target& target : config.targets) {
    const config::KafkaTarget* kafka = target.kafka();
    if (kafka == nullptr) {
      targets_.push_back(nullptr);
    } else if (logs_in_with_tokens(*kafka) && !kafka->own_login) {
      targets_.push_back(source_);
    } else {
      targets_.push_back(add("targets." + target.name + ".kafka", *kafka, notify));
    }
  }
}

template <class S>
std::shared_ptr<kafka::Login> KafkaLogins::add(const std::string& section, const S& kafka,
                                               const Notify& notify) {
  if (logs_in_with_tokens(kafka)) return add_tokens(section, kafka, notify);
  if (kafka.password_file.empty()) return nullptr;
  const auto username = kafka.properties.find("sasl.username");
  const std::string password(config::kSaslPassword);
  return add_password(section + ".properties." + password + "_file",
                      {username == kafka.properties.end() ? "" : username->second,
                       {kafka.properties.at(password), kafka.password_file}},
                      notify);
}

// Most targets log in as the source does: one for all of them.
std::shared_ptr<kafka::Login> KafkaLogins::add_password(const std::string& path,
                                                        KafkaPassword::Written written,
                                                        const Notify& notify) {
  const auto same = std::ranges::find(
      passwords_, written, [](const auto& it) -> const auto& { return it->written(); });
  if (same != passwords_.end()) return (*same)->login();
  passwords_.push_back(std::make_unique<KafkaPassword>(path, std::move(written), notify));
  return passwords_.back()->login();
}

template <class S>
std::shared_ptr<kafka::Login> KafkaLogins::add_tokens(const std::string& section, const S& kafka,
                                                      const Notify& notify) {
  const std::string path = section + (kafka.oauth ? ".oauth" : ".security");
  try {
    const auto make_source = [&](TokenSource::Done done) {
      if (kafka.oauth) return oauth_tokens(io_, kafka_login_options(*kafka.oauth), std::move(done));
      return msk_tokens(io_, msk_login_options(kafka.aws_region), std::move(done));
    };
    logins_.push_back(std::make_unique<KafkaLogin>(path, make_source, notify));
  } catch (const std::exception& error) {
    throw ConfigRefused(path + ": " + error.what());
  }
  return logins_.back()->login();
}

void KafkaLogins::start() {
  if (logins_.empty() && passwords_.empty()) return;
  for (const auto& login : logins_) login->look();
  for (const auto& password : passwords_) password->look();
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

}  // namespace einlass::app
