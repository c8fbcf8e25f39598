// What Redis' protocol looks like from the server's side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::whole {

using Words = std::vector<std::string>;

// Commands, out of bytes that come in pieces.
class CommandReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }

  // The next whole one. Throws std::runtime_error where the bytes are none.
  std::optional<Words> next();

 private:
  std::string bytes_;
};

// How long the first reply in the bytes is; 0: it is not whole yet.
std::size_t reply_length(std::string_view bytes);

std::string written(const Words& command);
std::string bulk(std::string_view text);
std::string integer(long long number);
std::string array(const std::vector<std::string>& replies);

}  // namespace einlass::whole
