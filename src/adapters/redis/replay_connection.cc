#include "adapters/redis/replay_connection.h"

#include "adapters/redis/error_reply.h"
#include "adapters/redis/resp.h"
#include "limits/permit_id.h"

namespace einlass::redis {
namespace {

// The due instants of the largest ask, and what stands before them.
constexpr std::size_t kMostReplyElements = limits::kMostPermitsOfAnAsk + 64;

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

ReplayConnection::~ReplayConnection() {
  if (connection_) connection_->close();
}

std::string ReplayConnection::where() const {
  return options_.host + ":" + std::to_string(options_.port);
}

bool ReplayConnection::open() {
  trouble_.clear();
  opened_ = false;
  reader_ = std::make_unique<ReplyReader>(kMostReplyElements);
  Endpoint endpoint{options_.host, options_.port, options_.tls, options_.ca_file,
                    options_.server_name.empty() ? options_.host : options_.server_name};
  Connection::Observer& observer = *this;
  connection_ = std::make_shared<Connection>(io_, std::move(endpoint), observer);
  connection_->open(kPatience);
  return wait([this] { return opened_; }) && log_in();
}

bool ReplayConnection::log_in() {
  std::size_t replies = 0;
  if (!options_.password.empty()) {
    const bool named = !options_.username.empty();
    append_array(out_, named ? 3 : 2);
    append_bulk(out_, "AUTH");
    if (named) append_bulk(out_, options_.username);
    append_bulk(out_, options_.password);
    ++replies;
  }
  if (options_.database != 0) {
    append_array(out_, 2);
    append_bulk(out_, "SELECT");
    append_number(out_, options_.database);
    ++replies;
  }
  std::string refused;
  const bool answered = exchange(replies, [&](const Reply& reply) {
    if (reply.kind == Reply::Kind::error && refused.empty()) {
      refused = explain(reply.text, where()).detail;
    }
  });
  if (!refused.empty()) give_up(refused);
  return answered && refused.empty();
}

bool ReplayConnection::exchange(std::size_t replies,
                                const std::function<void(const Reply&)>& take) {
  if (!connection_) return false;
  missing_ = replies;
  take_ = &take;
  connection_->out().append(out_);
  out_.clear();
  connection_->send();
  const bool all = wait([this] { return missing_ == 0; });
  take_ = nullptr;
  return all;
}

// Looks at the clock only while nothing happens.
bool ReplayConnection::wait(const std::function<bool()>& done) {
  auto quiet = std::chrono::milliseconds(0);
  while (connection_ && !done()) {
    io_.restart();
    quiet = io_.run_one_for(kLook) > 0 ? std::chrono::milliseconds(0) : quiet + kLook;
    if (quiet >= kPatience) give_up("no answer from Redis at " + where() + " within 10 s");
  }
  return connection_ != nullptr;
}

void ReplayConnection::received(std::span<const char> bytes) {
  reader_->feed(bytes);
  for (;;) {
    switch (reader_->next()) {
      case ReplyReader::Result::more_needed:
        return;
      case ReplyReader::Result::broken:
        return give_up("what Redis at " + where() + " answers is no reply to what was asked");
      case ReplyReader::Result::reply:
        if (missing_ == 0) return give_up("more replies than calls from Redis at " + where());
        --missing_;
        (*take_)(reader_->reply());
    }
  }
}

void ReplayConnection::lost(const std::string& why) {
  trouble_ = "Redis at " + where() + ": " + why;
  connection_.reset();
}

void ReplayConnection::give_up(const std::string& why) {
  trouble_ = why;
  connection_->close();
  connection_.reset();
}

}  // namespace einlass::redis
