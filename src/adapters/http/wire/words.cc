#include "adapters/http/wire/words.h"

#include "text/ascii.h"

namespace einlass::http {

std::string in_words(std::error_code error) {
  std::string text = error.message();
  if (!text.empty()) text[0] = lower(text[0]);
  return text;
}

std::string in_words(const boost::asio::ip::tcp::endpoint& address) {
  return host_and_port(address.address().to_string(), address.port());
}

std::string in_words(Duration duration) {
  if (duration.us % 1'000'000 == 0) return std::to_string(duration.us / 1'000'000) + "s";
  if (duration.us % 1'000 == 0) return std::to_string(duration.us / 1'000) + "ms";
  return std::to_string(duration.us) + "us";
}

}  // namespace einlass::http
