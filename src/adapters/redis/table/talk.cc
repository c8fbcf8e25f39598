#include "adapters/redis/table/talk.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/client/login.h"
#include "adapters/redis/nodes/cluster.h"
#include "adapters/redis/nodes/node.h"
#include "adapters/redis/wire/resp.h"

namespace einlass::redis {
namespace {

std::chrono::microseconds limit_of(const StoreOptions& options) {
  return std::chrono::microseconds(options.timeout.us);
}

}  // namespace

Talk::Talk(boost::asio::io_context& io, const StoreOptions& options)
    : io_(io), options_(options), limit_(io) {
  if (!options.sentinels.empty()) sentinels_ = std::make_unique<Sentinels>(io, options_);
}

void Talk::ask(std::span<const std::string_view> words, Done done) {
  if (asked_.size() >= kMostOpen) return done(nullptr, "Redis does not keep up");
  Open& open = asked_.emplace_back();
  append_command(open.command, words);
  open.writes = words.front() == "EVAL";
  open.done = std::move(done);
  if (!connection_) return connect();
  if (!open_) return;
  look_for_primary();
  if (asked_.size() == answered_ + 1) watch();
  connection_->out().append(open.command);
  connection_->send();
}

void Talk::close() {
  closed_ = true;
  asked_.clear();
  answered_ = 0;
  if (inquiry_) inquiry_->cancel();
  if (sentinels_) sentinels_->cancel();
  hang_up();
}

void Talk::connect() {
  if (moved_to_) return connect_to(*moved_to_);
  if (!sentinels_) {
    const std::size_t index = asked_first_ % (nodes_.size() + 1);
    return connect_to(index == 0 ? Address{options_.host, options_.port} : nodes_[index - 1]);
  }
  if (sentinels_->asking()) return;
  sentinels_->find([this](const std::optional<Address>& primary, const std::string& why) {
    primary ? connect_to(*primary) : fail(why);
  });
}

// What is written at a primary that was replaced is lost.
void Talk::look_for_primary() {
  const auto now = std::chrono::steady_clock::now();
  if (!sentinels_ || sentinels_->asking() || now - looked_ < kPrimaryPeriod) return;
  looked_ = now;
  sentinels_->find([this](const std::optional<Address>& primary, const std::string&) {
    if (primary && *primary != address_) end(to_string(address_) + " is the primary no more");
  });
}

void Talk::connect_to(const Address& address) {
  address_ = address;
  Connection::Observer& observer = *this;
  reader_ = std::make_unique<ValueReader>();
  connection_ = std::make_shared<Connection>(io_, endpoint(options_, address), observer);
  connection_->open(limit_of(options_));
}

void Talk::opened() {
  ++connections_;
  greetings_.clear();
  password_ = append_login(connection_->out(), options_.login);
  if (!password_.empty()) greetings_.push_back(Greeting::login);
  if (options_.database != 0) {
    greet(Greeting::database, {"SELECT", std::to_string(options_.database)});
  }
  if (sentinels_) greet(Greeting::role, {"ROLE"});
  if (options_.cluster) greet(Greeting::slots, {"CLUSTER", "SLOTS"});
  open_ = true;
  for (std::size_t i = answered_; i < asked_.size(); ++i) {
    connection_->out().append(asked_[i].command);
  }
  if (asked_.size() > answered_) watch();
  connection_->send();
}

void Talk::greet(Greeting greeting, std::initializer_list<std::string_view> words) {
  append_command(connection_->out(), {words.begin(), words.size()});
  greetings_.push_back(greeting);
}

// Whether the connection is still of use.
bool Talk::greeted(Greeting greeting, const Value& value) {
  if (greeting == Greeting::role) {
    if (value.is_array_of(1) && value.elements[0].text == "master") return true;
    fail(to_string(address_) + " is not the primary that the Sentinels take it for");
    return false;
  }
  if (greeting == Greeting::slots) {
    const auto ranges = read_slots(value, address_.host);
    if (!ranges || ranges->empty()) return true;  // It may have the key all the same.
    nodes_.clear();
    for (const SlotRange& range : *ranges) {
      if (std::ranges::find(nodes_, range.primary) == nodes_.end()) {
        nodes_.push_back(range.primary);
      }
    }
  }
  return true;
}

// For the first of those that wait: with its answer the time of the next begins.
void Talk::watch() {
  limit_.expires_after(limit_of(options_));
  limit_.async_wait([self = shared_from_this()](const auto& error) {
    if (error || self->closed_ || !self->open_) return;
    if (self->asked_.size() == self->answered_) return;
    // It was over before the answer was read, and counts for another one now.
    if (self->limit_.expiry() > std::chrono::steady_clock::now()) return;
    const auto ms = self->options_.timeout.us / 1000;
    self->fail(to_string(self->address_) + " does not answer within " + std::to_string(ms) + " ms");
  });
}

void Talk::received(std::span<const char> bytes) {
  const auto self = shared_from_this();
  reader_->feed(bytes);
  while (connection_) {
    const ValueReader::Result result = reader_->next();
    if (result == ValueReader::Result::more_needed) return;
    if (result == ValueReader::Result::broken) {
      return fail(to_string(address_) + " does not speak Redis' protocol");
    }
    if (!take(reader_->value())) return;
  }
}

// A write that is refused, as where there is no memory for it, says nothing of the reads.
bool Talk::ends_alone(Reaction reaction) const {
  if (!greetings_.empty() || asked_.size() == answered_) return false;
  if (reaction == Reaction::pause) return asked_[answered_].writes;
  return reaction == Reaction::fail_line;
}

// Whether the connection is still of use.
bool Talk::take(const Value& value) {
  const bool once = greetings_.empty() && sent_once(value);
  if (value.kind == Value::Kind::error && !once) {
    if (follow(value.text)) return false;
    const Trouble trouble = explain(value.text, to_string(address_), options_, password_);
    if (!ends_alone(trouble.reaction)) {
      fail(trouble.detail);
      return false;
    }
  }
  if (!greetings_.empty()) {
    const Greeting greeting = greetings_.front();
    greetings_.pop_front();
    return greeted(greeting, value);
  }
  if (asked_.size() == answered_) return false;
  asked_[answered_++].answer = value;
  redirections_ = 0;
  limit_.cancel();
  if (asked_.size() > answered_) watch();
  tell();
  return connection_ != nullptr;
}

std::optional<Redirection> Talk::sent_once(const Value& value) const {
  if (!options_.cluster || value.kind != Value::Kind::error) return std::nullopt;
  const auto to = redirection(value.text);
  return to && to->once ? to : std::nullopt;
}

// The answers, in the order of the commands: one that is asked elsewhere keeps those behind it.
void Talk::tell() {
  while (!inquiry_ && answered_ > 0) {
    const Value answer = *std::exchange(asked_.front().answer, std::nullopt);
    if (const auto to = sent_once(answer)) return ask_once(*to);
    tell_first(&answer, "");
  }
}

void Talk::tell_first(const Value* answer, const std::string& why) {
  const Open open = std::move(asked_.front());
  asked_.pop_front();
  --answered_;
  if (answer == nullptr) return open.done(nullptr, why);
  if (answer->kind != Value::Kind::error) return open.done(answer, "");
  // Only a write has two keys, of which one may have gone before the other.
  if (is_try_again(answer->text)) {
    return open.done(nullptr,
                     "its slot is on its way to another node of the cluster; write it again");
  }
  const Address& by = asked_at_ ? *asked_at_ : address_;
  const Trouble trouble = explain(answer->text, to_string(by), options_, password_);
  open.done(nullptr, trouble.reaction == Reaction::fail_line ? harmless(answer->text, password_)
                                                             : trouble.detail);
}

void Talk::ask_once(const Redirection& to) {
  asked_at_ = to.to;
  if (asked_at_->host.empty()) asked_at_->host = address_.host;
  inquiry_ = Inquiry::start_asking(
      io_, endpoint(options_, *asked_at_), options_.login, asked_.front().command,
      limit_of(options_), [self = shared_from_this()](const Value* answer, const std::string& why) {
        self->inquiry_.reset();
        self->tell_first(answer, to_string(*self->asked_at_) + ": " + why);
        self->asked_at_.reset();
        self->tell();
      });
}

// All that waits goes to the node that has the key.
bool Talk::follow(std::string_view error) {
  const auto to = options_.cluster ? redirection(error) : std::nullopt;
  if (!to || to->once || ++redirections_ > 5) return false;
  moved_to_ = to->to;
  if (moved_to_->host.empty()) moved_to_->host = address_.host;
  hang_up();
  connect();
  return true;
}

void Talk::lost(const std::string& why) { fail(to_string(address_) + ": " + why); }

void Talk::hang_up() {
  open_ = false;
  limit_.cancel();
  if (const auto connection = std::exchange(connection_, nullptr)) connection->close();
}

// What was asked is of no use: the next time another node or Sentinel is.
void Talk::fail(const std::string& why) {
  ++asked_first_;
  if (sentinels_) sentinels_->pass_over();
  end(why);
}

// The node may be gone as well: the next time it is looked for from the beginning.
void Talk::end(const std::string& why) {
  const auto self = shared_from_this();
  hang_up();
  moved_to_.reset();
  redirections_ = 0;
  answered_ = 0;
  asked_at_.reset();
  if (const auto inquiry = std::exchange(inquiry_, nullptr)) inquiry->cancel();
  if (sentinels_) sentinels_->cancel();
  for (const Open& open : std::exchange(asked_, {})) open.done(nullptr, why);
}

}  // namespace einlass::redis
