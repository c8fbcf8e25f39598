// How the things that can go wrong with a target are said to people.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "units/time.h"

namespace einlass::http {

// "connection refused": the system's words, as part of a sentence.
std::string in_words(std::error_code error);

// "127.0.0.1:8080", "[::1]:8080".
std::string in_words(const boost::asio::ip::tcp::endpoint& address);

// "5s", "250ms".
std::string in_words(Duration duration);

}  // namespace einlass::http
