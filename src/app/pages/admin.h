// The admin server: the live page, /metrics /healthz /readyz /v1/status /v1/why /v1/events,
// /v1/quotas and /v1/pauses, and /-/reload.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/clock/clock.h"
#include "adapters/http/server/server.h"
#include "app/pages/admin_door.h"
#include "app/pages/inquiry.h"
#include "app/pages/live.h"
#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/service/shards.h"
#include "app/service/watchdog.h"
#include "app/status/process_view.h"
#include "app/steering/steering.h"
#include "units/notice.h"

namespace einlass::app {

// Serves on the main thread, so that a slow reader never holds up a shard, nor a shard a page.
// REQUIRES: outlived by what the constructor is given.
class Admin {
 public:
  // Listens at once. Throws std::runtime_error with the address and the reason if it cannot.
  Admin(boost::asio::io_context& io, Shards& shards, const Watchdog& watchdog, Reload& reload,
        Steering& steering, const Recent& recent, const Clock& clock, const Notify& notify);

  // What of a new configuration it takes while it serves.
  void apply(const config::Admin& admin) { door_.set_token(admin.token); }

  std::uint16_t port() const { return server_.port(); }

 private:
  using Respond = http::Server::Respond;

  void answer(const http::ServerRequest& request, const Respond& respond);
  void why(std::string_view query, const Respond& respond);
  void make_event(const std::function<void(const std::string& json)>& made);
  std::vector<std::string> silent_shards() const;
  http::ServerResponse health(bool in_full) const;
  http::ServerResponse metrics(const Views& views);
  void ready(bool in_full, const Respond& respond);
  http::ServerResponse status(const Views& views);
  std::vector<ShownTrouble> troubles(const Views& views, const einlass::metrics::Snapshot& sum);
  ProcessView process(const Views& views);

  Shards& shards_;
  Inquiries inquiries_;
  const Watchdog& watchdog_;
  Reload& reload_;
  Steering& steering_;
  const Recent& recent_;
  const Clock& clock_;
  const Instant started_;
  // Of the process. Nobody looks while nobody asks, so that one look is enough to say it.
  Troubles troubles_{Duration{}};
  AdminDoor door_;
  // Why the gate was not ready when that was last looked at.
  std::string not_ready_, ready_but_;
  Instant looked_at_;
  std::vector<std::function<void()>> waiting_for_ready_;  // Who asked since, for one look for all.
  Live live_;
  http::Server server_;
};

}  // namespace einlass::app
