// Asks the system where a host is, in a thread beside the loop: a name whose servers are dead keeps
// it for many seconds, and no other lookup waits for that. Nor does the end of the program. Hosts
// that records name take turns (lookup_turns.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace einlass::http {

// REQUIRES: outlived by `io`; used on the thread that runs it.
class Lookup {
 public:
  using Results = boost::asio::ip::tcp::resolver::results_type;
  using Found = std::function<void(boost::system::error_code, const Results&)>;

  // `named_by`: the target whose records name the host; none: the configuration does.
  Lookup(boost::asio::io_context& io, std::optional<std::string> named_by, Found found);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // Ends in Found, never before this returns. One that takes turns ends as timed out if it has not
  // begun within `patience`. REQUIRES: none is under way.
  void start(const std::string& host, std::uint16_t port, std::chrono::microseconds patience);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  const std::optional<std::string> named_by_;
};

}  // namespace einlass::http
