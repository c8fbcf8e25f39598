#include "app/replay_connection.h"

#include "adapters/redis/error_reply.h"
#include "adapters/redis/resp.h"
#include "config/address.h"
#include "limits/permit_id.h"

namespace einlass::app {
namespace {

// The due instants of the largest ask, and what stands before them.
constexpr std::size_t kMostReplyElements = limits::kMostPermitsOfAnAsk + 64;

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

ReplayConnection::~ReplayConnection() {
  if (connection_) connection_->close();
}

std::string ReplayConnection::where() const {
  return config::to_text(config::HostPort{config_.host, config_.port});
}

bool ReplayConnection::open() {
  trouble_.clear();
  opened_ = false;
  reader_ = std::make_unique<redis::ReplyReader>(kMostReplyElements);
  redis::Endpoint endpoint{config_.host, config_.port, config_.tls, config_.ca_file,
                           config_.server_name.empty() ? config_.host : config_.server_name};
  redis::Connection::Observer& observer = *this;
  connection_ = std::make_shared<redis::Connection>(io_, std::move(endpoint), observer);
  connection_->open(kPatience);
  return wait([this] { return opened_; }) && log_in();
}

bool ReplayConnection::log_in() {
  std::size_t replies = 0;
  if (!config_.password.empty()) {
    const bool named = !config_.username.empty();
    redis::append_array(out_, named ? 3 : 2);
    redis::append_bulk(out_, "AUTH");
    if (named) redis::append_bulk(out_, config_.username);
    redis::append_bulk(out_, config_.password);
    ++replies;
  }
  if (config_.database != 0) {
    redis::append_array(out_, 2);
    redis::append_bulk(out_, "SELECT");
    redis::append_number(out_, config_.database);
    ++replies;
  }
  std::string refused;
  const bool answered = exchange(replies, [&](const redis::Reply& reply) {
    if (reply.kind == redis::Reply::Kind::error && refused.empty()) {
      refused = redis::explain(reply.text, where()).detail;
    }
  });
  if (!refused.empty()) give_up(refused);
  return answered && refused.empty();
}

bool ReplayConnection::exchange(std::size_t replies,
                                const std::function<void(const redis::Reply&)>& take) {
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
      case redis::ReplyReader::Result::more_needed:
        return;
      case redis::ReplyReader::Result::broken:
        return give_up("what Redis at " + where() + " answers is no reply to what was asked");
      case redis::ReplyReader::Result::reply:
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

}  // namespace einlass::app
