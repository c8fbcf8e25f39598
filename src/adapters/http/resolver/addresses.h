// Where a host is to be reached: looked up, and remembered for a while.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/resolver/lookup.h"
#include "adapters/http/wire/deadlines.h"

namespace einlass::http {

using Endpoint = boost::asio::ip::tcp::endpoint;

struct Hop {
  std::string host;  // A name, or an address, which needs no lookup; IPv6 with or without brackets.
  std::uint16_t port = 0;
};

// REQUIRES: outlived by `io`; used on the thread that runs it.
class Addresses {
 public:
  // Called at the end of each lookup; `trouble` is empty if list() has addresses now.
  using Found = std::function<void(const std::string& trouble)>;

  // `patience`: nobody waits longer for the end of a lookup.
  // `named_by`: as Lookup has it. With `refuse_private`, addresses that
  // only the inside of a network reaches are none. What a lookup finds is good for so long.
  Addresses(boost::asio::io_context& io, Hop hop, std::optional<std::string> named_by,
            bool refuse_private, Duration good_for, Duration patience, Found found);

  // Whether list() may be used without a lookup.
  bool known(SteadyTime now) const { return now < good_until_; }

  // Whether a lookup takes so long that list() is used meanwhile, as if it had failed.
  bool lags(SteadyTime now) const {
    return looking_up_ && !list_.empty() && now - asked_at_ > kPatience;
  }

  // Goes on from another, if it is for the same: a resolver that fails just now changes nothing.
  // REQUIRES: before the first lookup.
  void take_over(const Addresses& before);

  // In the order in which they are to be tried. REQUIRES: known(), lags(), or called from Found.
  const std::vector<Endpoint>& list() const { return list_; }

  // Ends in Found. Does nothing while one is under way. One that fails leaves the list as it was,
  // if there is one.
  void lookup();

  // The host is only at addresses that are refused, by what the last lookup said.
  bool are_refused() const { return are_refused_; }

  // No connection that can be used came about: this one is tried last for some minutes from now on,
  // whatever is looked up meanwhile, and the list is soon asked for again.
  void failed(Endpoint endpoint);

 private:
  static constexpr std::chrono::seconds kRememberedInDoubt{1};
  static constexpr std::chrono::milliseconds kPatience{500};
  static constexpr std::chrono::minutes kTriedLast{5};

  struct Failed {
    Endpoint endpoint;
    SteadyTime at;
  };

  void resolved(boost::system::error_code error, const Lookup::Results& results);
  void put_failed_last();

  Lookup lookup_;
  std::string host_;
  std::uint16_t port_;
  const bool refuse_private_;
  const std::chrono::microseconds good_for_;
  const std::chrono::microseconds patience_;
  bool are_refused_ = false;
  Found found_;
  std::vector<Endpoint> list_;
  std::vector<Failed> failed_;  // Each once, the last one last; at most as many as were looked up.
  SteadyTime resolved_at_{};
  SteadyTime good_until_{};
  bool looking_up_ = false;
  SteadyTime asked_at_{};  // When the last lookup began.
};

}  // namespace einlass::http
