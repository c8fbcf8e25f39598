#include "app/setup/clear_text.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "app/setup/wiring.h"
#include "config/model/address.h"

namespace einlass::app {

bool is_local(const std::string& host) {
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" : address.is_loopback();
}

std::string redis_in_the_clear(const config::Config& config) {
  const config::Redis& redis = config.redis;
  if (!needs_redis(config) || redis.tls) return "";
  std::vector<config::HostPort> asked;
  if (redis.sentinel) asked = redis.sentinel->addresses;
  if (!redis.sentinel && !redis.host.starts_with('/')) asked = {{redis.host, redis.port}};
  const auto far = std::find_if(asked.begin(), asked.end(),
                                [](const config::HostPort& one) { return !is_local(one.host); });
  const bool any_password =
      !redis.password.value.empty() || (redis.sentinel && !redis.sentinel->password.value.empty());
  if (far == asked.end() || !any_password) return "";
  return "the password of Redis goes over the network in the clear to " + to_text(*far) +
         "; write a rediss:// URL if others may read along there";
}

}  // namespace einlass::app
