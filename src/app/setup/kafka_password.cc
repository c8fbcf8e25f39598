#include "app/setup/kafka_password.h"

#include <string_view>
#include <utility>

namespace einlass::app {
namespace {

std::string no_password(std::string_view text) { return text.empty() ? "it is empty" : ""; }

}  // namespace

KafkaPassword::KafkaPassword(std::string path, Written written, Notify notify)
    : path_(std::move(path)),
      written_(std::move(written)),
      notify_(std::move(notify)),
      password_(written_.password, no_password) {
  login_->renew(kafka::Password{written_.username, password_.value()});
}

void KafkaPassword::look() {
  if (password_.look()) {
    const std::string why = login_->renew(kafka::Password{written_.username, password_.value()});
    notify_(
        {why.empty() ? Severity::info : Severity::warning, "kafka_login_renewed",
         path_ + ": " + (why.empty() ? "clients log in with another password from now on" : why)});
  }
  tell();
}

void KafkaPassword::tell() {
  if (password_.trouble() == trouble_) return;
  trouble_ = password_.trouble();
  if (trouble_.empty()) {
    notify_({Severity::info, "kafka_login_ok", path_ + ": works again"});
  } else {
    notify_({Severity::warning, "kafka_login_failing", path_ + ": " + trouble_});
  }
}

}  // namespace einlass::app
