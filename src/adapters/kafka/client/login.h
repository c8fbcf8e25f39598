// As whom clients log in at Kafka, where that changes while they run: with an access token (SASL
// OAUTHBEARER), or with a password that is renewed (PLAIN, SCRAM). One for all clients that log in
// as the same.
//
// Somebody else gets tokens and passwords and brings each here; librdkafka itself asks for none.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "adapters/kafka/client/handles.h"

namespace einlass::kafka {

struct Token {
  std::string value;
  std::int64_t expires_ms = 0;  // Since 1970.
  std::string principal;        // Whose it is, for librdkafka.
};

struct Password {
  std::string username;
  std::string value;
};

inline bool is_refused_login(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
         error == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;
}

// May be used from any thread.
class Login {
 public:
  enum class By : std::uint8_t { token, password };
  explicit Login(By by);

  By by() const { return by_; }

  // Every client logs in with it from now on; what is connected stays so. Returns why librdkafka
  // does not take it, in words that have nothing of it; empty if it does. REQUIRES: what it is by.
  std::string renew(Token token);
  std::string renew(Password password);

  // There is no token that is still good, and why; it is said of whatever logs in with it. Of a
  // password it is never said: until one is renewed, that of the properties holds.
  void failing(std::string why);
  std::string trouble() const;

  // A broker has refused the token. take_refusal() tells it once.
  void was_refused() { refused_ = true; }
  bool take_refusal() { return refused_.exchange(false); }

  // The client logs in with these, until forget(). REQUIRES: its configuration is for what it is
  // by.
  void serve(rd_kafka_t* client);
  void forget(rd_kafka_t* client);

 private:
  using Credential = std::variant<std::monostate, Token, Password>;

  std::string take(Credential credential);

  const By by_;
  mutable std::mutex mutex_;
  Credential credential_;
  std::string trouble_;
  std::vector<rd_kafka_t*> clients_;
  std::atomic<bool> refused_ = false;
};

}  // namespace einlass::kafka
