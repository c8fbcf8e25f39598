#include "adapters/redis/client/inquiry.h"

#include <utility>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/wire/resp.h"

namespace einlass::redis {

Inquiry::Inquiry(boost::asio::io_context& io, const Login& login,
                 std::span<const std::string_view> words, std::chrono::microseconds limit,
                 Done done)
    : limit_(limit),
      timer_(io),
      password_(append_login(question_, login)),
      login_open_(!password_.empty()),
      done_(std::move(done)) {
  append_command(question_, words);
}

std::shared_ptr<Inquiry> Inquiry::start(boost::asio::io_context& io, const Endpoint& server,
                                        const Login& login, std::span<const std::string_view> words,
                                        std::chrono::microseconds limit, Done done) {
  std::shared_ptr<Inquiry> inquiry(new Inquiry(io, login, words, limit, std::move(done)));
  Connection::Observer& observer = *inquiry;
  inquiry->connection_ = std::make_shared<Connection>(io, server, observer);
  inquiry->connection_->open(limit);
  return inquiry;
}

void Inquiry::cancel() {
  done_ = nullptr;
  timer_.cancel();
  if (connection_) connection_->close();
}

void Inquiry::opened() {
  timer_.expires_after(limit_);
  timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (error) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(self->limit_).count();
    self->end(nullptr, "no answer within " + std::to_string(ms) + " ms");
  });
  connection_->out().append(question_);
  connection_->send();
}

void Inquiry::received(std::span<const char> bytes) {
  const auto self = shared_from_this();  // Whoever is told may let go of it.
  reader_.feed(bytes);
  while (done_) {
    const ValueReader::Result result = reader_.next();
    if (result == ValueReader::Result::more_needed) return;
    if (result == ValueReader::Result::broken) {
      return end(nullptr, "it does not speak Redis' protocol");
    }
    take(reader_.value());
  }
}

void Inquiry::take(const Value& value) {
  const bool refused = value.kind == Value::Kind::error;
  if (refused) return end(nullptr, "it answers " + harmless(value.text, password_));
  if (!std::exchange(login_open_, false)) end(&value, "");
}

void Inquiry::lost(const std::string& why) { end(nullptr, why); }

void Inquiry::end(const Value* answer, const std::string& why) {
  const auto self = shared_from_this();
  timer_.cancel();
  connection_->close();
  if (const Done done = std::exchange(done_, nullptr)) done(answer, why);
}

}  // namespace einlass::redis
