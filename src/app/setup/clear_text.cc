#include "app/setup/clear_text.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "config/address.h"

namespace einlass::app {

bool is_local(const std::string& host) {
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" : address.is_loopback();
}

std::string redis_in_the_clear(const config::Config& config) {
  const config::Redis& redis = config.redis;
  const bool is_used =
      std::any_of(config.limits.begin(), config.limits.end(),
                  [](const config::Limit& limit) { return limit.store == config::Store::redis; });
  if (!is_used || redis.tls) return "";
  const auto far_sentinel =
      std::find_if(redis.sentinels.begin(), redis.sentinels.end(),
                   [](const config::HostPort& one) { return !is_local(one.host); });
  const bool by_sentinels = !redis.sentinels.empty();
  const bool any_password = !redis.password.empty() || !redis.sentinel_password.empty();
  const bool far = by_sentinels ? far_sentinel != redis.sentinels.end()
                                : !redis.host.starts_with('/') && !is_local(redis.host);
  if (!far || !any_password) return "";
  return "the password of Redis goes over the network in the clear to " +
         (by_sentinels ? to_text(*far_sentinel)
                       : to_text(config::HostPort{redis.host, redis.port})) +
         "; write a rediss:// URL if others may read along there";
}

}  // namespace einlass::app
