#include "adapters/redis/client/inquiry.h"

#include <utility>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/wire/resp.h"

namespace einlass::redis {

Inquiry::Inquiry(boost::asio::io_context& io, const Login& login, std::chrono::microseconds limit,
                 Done done)
    : limit_(limit),
      timer_(io),
      password_(append_login(question_, login)),
      to_come_(password_.empty() ? 0 : 1),
      done_(std::move(done)) {}

std::shared_ptr<Inquiry> Inquiry::start(boost::asio::io_context& io, const Endpoint& server,
                                        const Login& login, std::span<const std::string_view> words,
                                        std::chrono::microseconds limit, Done done) {
  std::shared_ptr<Inquiry> inquiry(new Inquiry(io, login, limit, std::move(done)));
  append_command(inquiry->question_, words);
  inquiry->open(io, server);
  return inquiry;
}

std::shared_ptr<Inquiry> Inquiry::start_asking(boost::asio::io_context& io, const Endpoint& server,
                                               const Login& login, std::string_view command,
                                               std::chrono::microseconds limit, Done done) {
  std::shared_ptr<Inquiry> inquiry(new Inquiry(io, login, limit, std::move(done)));
  const std::string_view asking[] = {"ASKING"};
  append_command(inquiry->question_, asking);
  inquiry->question_.append(command);
  ++inquiry->to_come_;
  inquiry->errors_too_ = true;
  inquiry->open(io, server);
  return inquiry;
}

void Inquiry::open(boost::asio::io_context& io, const Endpoint& server) {
  Connection::Observer& observer = *this;
  connection_ = std::make_shared<Connection>(io, server, observer);
  connection_->open(limit_);
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
  if (refused && !(errors_too_ && to_come_ == 0)) {
    return end(nullptr, "it answers " + harmless(value.text, password_));
  }
  if (to_come_-- == 0) end(&value, "");
}

void Inquiry::lost(const std::string& why) { end(nullptr, why); }

void Inquiry::end(const Value* answer, const std::string& why) {
  const auto self = shared_from_this();
  timer_.cancel();
  connection_->close();
  if (const Done done = std::exchange(done_, nullptr)) done(answer, why);
}

}  // namespace einlass::redis
