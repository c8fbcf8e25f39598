// The admin server: /metrics /healthz /readyz /v1/status.
#pragma once

#include <boost/asio/io_context.hpp>

#include "adapters/http/server.h"
#include "app/recent.h"
#include "app/shards.h"
#include "app/watchdog.h"
#include "config/config.h"

namespace einlass::app {

// Serves on the main thread, so that a scrape never holds up a shard, nor a shard a scrape.
// REQUIRES: outlived by what the constructor is given.
class Admin {
 public:
  // Listens at once. Throws std::runtime_error with the address and the reason if it cannot.
  Admin(boost::asio::io_context& io, const config::Config& config, Shards& shards,
        const Watchdog& watchdog, const Recent& recent);

  std::uint16_t port() const { return server_.port(); }

 private:
  using Respond = http::Server::Respond;

  void answer(const http::ServerRequest& request, const Respond& respond);
  http::ServerResponse health() const;
  http::ServerResponse metrics(const Views& views) const;
  http::ServerResponse readiness(const Views& views) const;
  http::ServerResponse status(const Views& views) const;

  const config::Config& config_;
  Shards& shards_;
  const Watchdog& watchdog_;
  const Recent& recent_;
  http::Server server_;
};

}  // namespace einlass::app
