#include "adapters/kafka/client/login.h"

#include <utility>

#include "units/check.h"

namespace einlass::kafka {
namespace {

// Of librdkafka's own texts none: they may repeat what is wrong with the credential, and so it.
std::string set(rd_kafka_t*, std::monostate) { return ""; }

std::string set(rd_kafka_t* client, const Token& token) {
  char reason[256] = "";
  const auto error =
      rd_kafka_oauthbearer_set_token(client, token.value.c_str(), token.expires_ms,
                                     token.principal.c_str(), nullptr, 0, reason, sizeof reason);
  if (!error) return "";
  return std::string("librdkafka does not take the token: ") + rd_kafka_err2name(error);
}

std::string set(rd_kafka_t* client, const Password& password) {
  const ErrorHandle error(
      rd_kafka_sasl_set_credentials(client, password.username.c_str(), password.value.c_str()));
  if (error == nullptr) return "";
  return std::string("librdkafka does not take the password: ") + rd_kafka_error_name(error.get());
}

}  // namespace

Login::Login(By by) : by_(by), trouble_(by == By::token ? "no token has come yet" : "") {}

std::string Login::renew(Token token) {
  CHECK(by_ == By::token);
  return take(std::move(token));
}

std::string Login::renew(Password password) {
  CHECK(by_ == By::password);
  return take(std::move(password));
}

std::string Login::take(Credential credential) {
  const std::lock_guard lock(mutex_);
  const auto set_at = [&](rd_kafka_t* client) {
    return std::visit([&](const auto& it) { return set(client, it); }, credential);
  };
  std::string trouble;
  for (rd_kafka_t* client : clients_) {
    if (std::string one = set_at(client); !one.empty()) trouble = std::move(one);
  }
  if (!trouble.empty()) return trouble;
  credential_ = std::move(credential);
  trouble_.clear();
  refused_ = false;
  return "";
}

void Login::failing(std::string why) {
  const std::lock_guard lock(mutex_);
  trouble_ = std::move(why);
}

std::string Login::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Login::serve(rd_kafka_t* client) {
  const std::lock_guard lock(mutex_);
  clients_.push_back(client);
  std::visit([&](const auto& it) { set(client, it); }, credential_);
}

void Login::forget(rd_kafka_t* client) {
  const std::lock_guard lock(mutex_);
  std::erase(clients_, client);
}

}  // namespace einlass::kafka
