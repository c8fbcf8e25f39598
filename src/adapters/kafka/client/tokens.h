// The access token with which clients log in at Kafka (SASL OAUTHBEARER): one for all clients that
// log in as the same.
//
// Somebody else gets the tokens and brings each here; librdkafka itself asks for none.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/kafka/client/handles.h"

namespace einlass::kafka {

struct Token {
  std::string value;
  std::int64_t expires_ms = 0;  // Since 1970.
  std::string principal;        // Whose it is, for librdkafka.
};

inline bool is_refused_login(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
         error == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;
}

// May be used from any thread.
class Tokens {
 public:
  // Every client logs in with it from now on. Returns why librdkafka does not take it, in words
  // that have nothing of it; empty if it does.
  std::string renew(Token token);

  // There is no token that is still good, and why; it is said of whatever logs in with it.
  void failing(std::string why);
  std::string trouble() const;

  // A broker has refused the token. take_refusal() tells it once.
  void was_refused() { refused_ = true; }
  bool take_refusal() { return refused_.exchange(false); }

  // The client logs in with these, until forget(). REQUIRES: its configuration is for tokens.
  void serve(rd_kafka_t* client);
  void forget(rd_kafka_t* client);

 private:
  mutable std::mutex mutex_;
  Token token_;
  std::string trouble_ = "no token has come yet";
  std::vector<rd_kafka_t*> clients_;
  std::atomic<bool> refused_ = false;
};

}  // namespace einlass::kafka
