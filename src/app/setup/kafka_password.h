// A password with which clients log in at Kafka, in a file where it is renewed while they run.
#pragma once

#include <memory>
#include <string>

#include "adapters/kafka/client/login.h"
#include "net/secret.h"
#include "units/notice.h"

namespace einlass::app {

// REQUIRES: used on one thread.
class KafkaPassword {
 public:
  struct Written {
    std::string username;
    net::SecretOptions password;
    bool operator==(const Written&) const = default;
  };

  // `path` is the option that names the file. Says "kafka_login_renewed", "kafka_login_failing" and
  // "kafka_login_ok" to `notify`.
  KafkaPassword(std::string path, Written written, Notify notify);

  // Reads the file again where it has changed. To be called every now and then.
  void look();

  const std::shared_ptr<kafka::Login>& login() const { return login_; }

  // As it was given.
  const Written& written() const { return written_; }

 private:
  void tell();

  const std::string path_;
  const Written written_;
  const Notify notify_;
  const std::shared_ptr<kafka::Login> login_ =
      std::make_shared<kafka::Login>(kafka::Login::By::password);
  net::Secret password_;
  std::string trouble_;  // As was told.
};

}  // namespace einlass::app
