#include "adapters/redis/replay/replay_connection.h"

#include <optional>
#include <vector>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/nodes/cluster.h"
#include "adapters/redis/nodes/node.h"
#include "adapters/redis/nodes/sentinels.h"
#include "adapters/redis/wire/resp.h"
#include "limits/contract/permit_id.h"

namespace einlass::redis {
namespace {

// The due instants of the largest ask, and what stands before them.
constexpr std::size_t kMostReplyElements = limits::kMostPermitsOfAnAsk + 64;

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

ReplayConnection::~ReplayConnection() {
  if (connection_) connection_->close();
}

std::string ReplayConnection::where() const { return to_string(server_); }

bool ReplayConnection::open() {
  trouble_.clear();
  opened_ = false;
  if (!find_server()) return false;
  reader_ = std::make_unique<ReplyReader>(kMostReplyElements);
  Connection::Observer& observer = *this;
  connection_ = std::make_shared<Connection>(io_, endpoint(options_, server_), observer);
  connection_->open(kPatience);
  return wait([this] { return opened_; }) && log_in();
}

bool ReplayConnection::find_server() {
  server_ = {options_.host, options_.port};
  if (!options_.sentinels.empty()) return find_primary();
  return !options_.cluster || find_holder();
}

bool ReplayConnection::find_primary() {
  bool over = false;
  Sentinels sentinels(io_, options_);
  sentinels.find([&](const std::optional<Address>& primary, const std::string& why) {
    over = true;
    if (primary) server_ = *primary;
    if (!primary) trouble_ = why;
  });
  wait_for_inquiry(over);
  return trouble_.empty();
}

// Of a cluster, the node that has the slot of all the keys.
bool ReplayConnection::find_holder() {
  static constexpr std::string_view kQuestion[] = {"CLUSTER", "SLOTS"};
  bool over = false;
  trouble_ = "nobody has the slot of the replay's keys, says Redis at " + where();
  const auto take = [&](const Value* answer, const std::string& why) {
    over = true;
    if (answer == nullptr) trouble_ = "Redis at " + where() + ": " + why;
    const auto ranges = answer == nullptr ? std::nullopt : read_slots(*answer, server_.host);
    const std::uint16_t slot = hash_slot(key_);
    for (const SlotRange& range : ranges.value_or(std::vector<SlotRange>())) {
      if (slot < range.first || slot > range.last) continue;
      server_ = range.primary;
      trouble_.clear();
    }
  };
  const auto inquiry =
      Inquiry::start(io_, endpoint(options_, server_), options_.login, kQuestion, kPatience, take);
  wait_for_inquiry(over);
  return trouble_.empty();
}

// Inquiries end by themselves.
void ReplayConnection::wait_for_inquiry(const bool& over) {
  while (!over) {
    io_.restart();
    io_.run_one();
  }
}

bool ReplayConnection::log_in() {
  const std::string password = append_login(out_, options_.login);
  std::size_t replies = password.empty() ? 0 : 1;
  if (options_.database != 0) {
    append_array(out_, 2);
    append_bulk(out_, "SELECT");
    append_number(out_, options_.database);
    ++replies;
  }
  std::string refused;
  const bool answered = exchange(replies, [&](const Reply& reply) {
    if (reply.kind == Reply::Kind::error && refused.empty()) {
      refused = explain(reply.text, where(), options_, password).detail;
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
