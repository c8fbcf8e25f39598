// What goes out.
#include "adapters/redis/nodes/node.h"

#include <utility>

#include "adapters/redis/calls/holds.h"
#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/client/wait_time.h"
#include "adapters/redis/wire/resp.h"
#include "lua/scripts.h"
#include "text/ascii.h"

namespace einlass::redis {

std::string to_string(const Address& address) {
  if (address.host.starts_with('/')) return address.host;
  return host_and_port(address.host, address.port);
}

Endpoint endpoint(const StoreOptions& options, const Address& address) {
  return {.host = address.host,
          .port = address.port,
          .tls = options.tls,
          .tls_files = options.tls_files,
          .server_name = options.server_name.empty() ? address.host : options.server_name};
}

std::chrono::microseconds jittered(std::chrono::milliseconds delay, std::minstd_rand& random) {
  using Micros = std::chrono::microseconds;
  const Micros::rep most = Micros(delay).count();
  return Micros(std::uniform_int_distribution<Micros::rep>(most / 2, most)(random));
}

bool Node::room() const {
  return !calls_.full() && connection_ && connection_->out().size() < kMaxUnsentBytes;
}

void Node::send_acquire(const LinePtr& line, const core::Ask& ask, Manner manner,
                        Steady::time_point now) {
  if (manner.asking) command({"ASKING"}, Call::Kind::asking, now);
  context_.scripts.append_acquire(connection_->out(), manner.by, *line, ask, manner.unremembered);
  Call call{.kind = Call::Kind::acquire, .manner = manner, .line = line, .ask = ask};
  if (ask.flows != nullptr) {
    call.levels = ask.flows->levels;
    call.flows = static_cast<std::uint16_t>(ask.flows->flows.size());
  }
  push(std::move(call), now);
  if (manner.by == CallBy::text) brought_[&line->acquire_script()] = calls_made_;
  wait_due_ = true;
}

void Node::send_release(const LinePtr& line, std::span<const PermitId> permits, Manner manner,
                        Steady::time_point now) {
  if (manner.asking) command({"ASKING"}, Call::Kind::asking, now);
  context_.scripts.append_release(connection_->out(), manner.by, *line, permits, manner.why);
  for (const PermitId& permit : permits) permits_of_calls_.push(permit);
  push({.kind = Call::Kind::release,
        .manner = manner,
        .permits = static_cast<std::uint16_t>(permits.size()),
        .line = line},
       now);
  if (manner.by == CallBy::text) brought_[&line->release_script(manner.why)] = calls_made_;
}

// A call that found no script never ran. It goes again with the whole script, or with the digest
// where a later call has already brought the script. Its time starts anew.
void Node::send_again(Call call, Steady::time_point now) {
  const bool acquire = call.kind == Call::Kind::acquire;
  const Line& line = *call.line;
  const Script& script = acquire ? line.acquire_script() : line.release_script(call.manner.why);
  const auto found = brought_.find(&script);
  const bool comes = found != brought_.end() && found->second > call.number;
  call.manner.by = comes ? CallBy::digest : CallBy::text;
  if (acquire) return send_acquire(call.line, call.ask, call.manner, now);
  send_release(call.line, permits_again_, call.manner, now);
}

void Node::send_holds(Holds& holds, Steady::time_point now) {
  holds.append_call(connection_->out(), now);
  push({.kind = Call::Kind::holds}, now);
}

// The WAIT comes behind everything that was asked, and its answer behind theirs. Until then Redis
// reads nothing more of this connection: what is asked meanwhile has one WAIT together, or each
// would wait for all before it too, and be late.
void Node::flush(Steady::time_point now) {
  if (!connection_) return;
  if (wait_open_) return watch();
  for (; kept_back_ > 0; --kept_back_) {  // Their time begins.
    Call& call = calls_[calls_.size() - kept_back_];
    if (!call.late) call.sent = now;
  }
  if (std::exchange(wait_due_, false) && context_.options.wait_replicas > 0) {
    command({"WAIT", std::to_string(context_.options.wait_replicas),
             std::to_string(wait_ms(context_.options.timeout))},
            Call::Kind::wait, now);
    wait_open_ = true;
  }
  connection_->send();
  watch();
}

void Node::ping(Steady::time_point now) {
  command({"PING"}, Call::Kind::ping, now);
  pinging_ = true;
}

void Node::reopen(const LinePtr& line, bool looks, Steady::time_point now) {
  constexpr std::int64_t kSlackMs = 15'000;  // More than any gate adds, see lua/README.md.
  std::string& out = connection_->out();
  const std::size_t keys = line->buckets + (line->by_flows ? 1 : 0);
  append_array(out, (looks ? 5 : 4) + keys);
  append_bulk(out, "EVAL");
  append_bulk(out, lua::reopen_script());
  append_number(out, static_cast<std::int64_t>(keys));
  out.append(line->keys).append(line->share_key);
  append_number(out, line->needs().us / 1000 + kSlackMs);
  if (looks) append_bulk(out, "look");
  push({.kind = Call::Kind::reopen, .looks = looks, .line = line}, now);
}

void Node::command(std::initializer_list<std::string_view> words, Call::Kind kind,
                   Steady::time_point now) {
  append_command(connection_->out(), {words.begin(), words.size()});
  push({.kind = kind}, now);
}

void Node::push(Call call, Steady::time_point now) {
  call.number = ++calls_made_;
  call.sent = now;
  kept_back_ += wait_open_;
  calls_.push(std::move(call));
}

}  // namespace einlass::redis
