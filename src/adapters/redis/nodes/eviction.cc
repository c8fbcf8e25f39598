#include "adapters/redis/nodes/eviction.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "adapters/redis/nodes/node.h"
#include "text/shown.h"

namespace einlass::redis {
namespace {

// Of a field of INFO; empty where it has none of that name.
std::string_view field(std::string_view info, std::string_view name) {
  for (std::size_t at = 0; at < info.size();) {
    const std::size_t end = std::min(info.find('\n', at), info.size());
    std::string_view line = info.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      return line.substr(name.size() + 1);
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

std::string read_eviction(std::string_view info) {
  const std::string_view most = field(info, "maxmemory"), policy = field(info, "maxmemory_policy");
  const bool keeps = most.empty() || most == "0" || policy.empty() || policy == "noeviction";
  return keeps ? "" : std::string(policy);
}

Eviction::Eviction(boost::asio::io_context& io, StoreOptions options, Done done)
    : io_(io), options_(std::move(options)), done_(std::move(done)), again_(io) {
  if (!options_.sentinels.empty()) sentinels_.emplace(io_, options_);
  find();
}

Eviction::~Eviction() {
  if (inquiry_) inquiry_->cancel();
}

void Eviction::find() {
  if (!sentinels_) return ask({options_.host, options_.port});
  sentinels_->find([this](const std::optional<Address>& primary, const std::string&) {
    primary ? ask(*primary) : find_later();
  });
}

void Eviction::ask(const Address& server) {
  const std::array<std::string_view, 2> words{"INFO", "memory"};
  inquiry_ = Inquiry::start(io_, endpoint(options_, server), options_.login, words,
                            std::chrono::microseconds(options_.timeout.us),
                            [this, server](const Value* answer, const std::string& why) {
                              answered(server, answer, why);
                            });
}

void Eviction::answered(const Address& server, const Value* answer, const std::string& why) {
  inquiry_.reset();
  const bool may_not_ask = why.find("NOPERM") != std::string::npos;
  if (answer == nullptr && !may_not_ask) return find_later();
  const std::string policy = answer == nullptr ? "" : read_eviction(answer->text);
  if (policy.empty()) return done_("");
  done_("Redis at " + to_string(server) + " has maxmemory-policy " + shown(policy) +
        ": when its memory is full it removes keys: a limit whose key is gone starts over, and "
        "quotas and pauses end; set maxmemory-policy noeviction, or use a Redis server for Einlass "
        "alone");
}

void Eviction::find_later() {
  again_.expires_after(kAgain);
  again_.async_wait([this](const boost::system::error_code& error) {
    if (!error) find();
  });
}

}  // namespace einlass::redis
