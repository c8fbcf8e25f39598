#include "adapters/kafka/client/tokens.h"

#include <utility>

namespace einlass::kafka {
namespace {

std::string set(rd_kafka_t* client, const Token& token) {
  char reason[256] = "";
  const auto error =
      rd_kafka_oauthbearer_set_token(client, token.value.c_str(), token.expires_ms,
                                     token.principal.c_str(), nullptr, 0, reason, sizeof reason);
  if (!error) return "";
  // librdkafka's text may repeat what is wrong with the token, and so the token.
  return std::string("librdkafka does not take the token: ") + rd_kafka_err2name(error);
}

}  // namespace

std::string Tokens::renew(Token token) {
  const std::lock_guard lock(mutex_);
  std::string trouble;
  for (rd_kafka_t* client : clients_) {
    if (std::string one = set(client, token); !one.empty()) trouble = std::move(one);
  }
  if (!trouble.empty()) return trouble;
  token_ = std::move(token);
  trouble_.clear();
  refused_ = false;
  return "";
}

void Tokens::failing(std::string why) {
  const std::lock_guard lock(mutex_);
  trouble_ = std::move(why);
}

std::string Tokens::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Tokens::serve(rd_kafka_t* client) {
  const std::lock_guard lock(mutex_);
  clients_.push_back(client);
  if (!token_.value.empty()) set(client, token_);
}

void Tokens::forget(rd_kafka_t* client) {
  const std::lock_guard lock(mutex_);
  std::erase(clients_, client);
}

}  // namespace einlass::kafka
