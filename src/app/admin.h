// The admin server: /metrics /healthz /readyz /v1/status.
#pragma once

#include <boost/asio/io_context.hpp>

#include "adapters/http/server.h"
#include "app/recent.h"
#include "app/shard.h"
#include "config/config.h"

namespace einlass::app {

// Serves on the shard's own thread, so that what it shows is of one instant.
// REQUIRES: outlived by what the constructor is given.
class Admin {
 public:
  // Listens at once. Throws std::runtime_error with the address and the reason if it cannot.
  Admin(boost::asio::io_context& io, const config::Config& config, const Shard& shard,
        const Recent& recent);

  std::uint16_t port() const { return server_.port(); }

 private:
  http::ServerResponse answer(const http::ServerRequest& request) const;

  const config::Config& config_;
  const Shard& shard_;
  const Recent& recent_;
  http::Server server_;
};

}  // namespace einlass::app
