// Which addresses only the inside of a network reaches, or nobody.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace einlass::http {

// Loopback, link-local, private, shared, multicast and reserved ones, and those of IPv6 that lead
// to such of IPv4 (RFC 6890 and its registries).
bool is_private(const boost::asio::ip::address& address);

}  // namespace einlass::http
