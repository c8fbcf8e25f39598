#include "adapters/http/resolver/addresses.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "adapters/http/resolver/private_address.h"
#include "adapters/http/wire/words.h"
#include "text/ascii.h"

namespace einlass::http {

namespace ip = boost::asio::ip;
using boost::system::error_code;

Addresses::Addresses(boost::asio::io_context& io, Hop hop, std::optional<std::string> named_by,
                     bool refuse_private, Duration good_for, Duration patience, Found found)
    : lookup_{io, std::move(named_by),
              [this](error_code error, const Lookup::Results& all) { resolved(error, all); }},
      host_{without_brackets(hop.host)},
      port_{hop.port},
      refuse_private_{refuse_private},
      good_for_{good_for.us},
      patience_{patience.us},
      found_{std::move(found)} {
  error_code error;
  const ip::address address = ip::make_address(host_, error);
  if (error || (refuse_private_ && is_private(address))) return;
  list_ = {Endpoint(address, port_)};
  good_until_ = SteadyTime::max();
}

void Addresses::take_over(const Addresses& before) {
  const bool same = before.host_ == host_ && before.port_ == port_ &&
                    before.refuse_private_ == refuse_private_;
  if (!same || before.list_.empty()) return;
  list_ = before.list_;
  failed_ = before.failed_;
  resolved_at_ = before.resolved_at_;
  good_until_ = before.good_until_;
}

void Addresses::lookup() {
  if (looking_up_) return;
  looking_up_ = true;
  asked_at_ = std::chrono::steady_clock::now();
  lookup_.start(host_, port_, patience_);
}

void Addresses::resolved(error_code error, const Lookup::Results& results) {
  looking_up_ = false;
  are_refused_ = false;
  if ((error || results.empty()) && !list_.empty()) {
    good_until_ = std::chrono::steady_clock::now() + kRememberedInDoubt;
    return found_({});
  }
  if (error || results.empty()) {
    found_((error ? in_words(error) : std::string("host has no address")) + " (" + host_ + ")");
    return;
  }
  list_.assign(results.begin(), results.end());
  if (refuse_private_) {
    std::erase_if(list_, [](const Endpoint& one) { return is_private(one.address()); });
  }
  are_refused_ = list_.empty();
  if (are_refused_) {
    found_(host_ + " is at a private address (" +
           results.begin()->endpoint().address().to_string() +
           "), which records may not name without allow_private: true");
    return;
  }
  resolved_at_ = std::chrono::steady_clock::now();
  good_until_ = resolved_at_ + good_for_;
  put_failed_last();
  found_({});
}

// A resolver names them in the same order each time, also where the first of them is dead.
void Addresses::put_failed_last() {
  std::erase_if(failed_, [this](const Failed& one) {
    return resolved_at_ - one.at >= kTriedLast ||
           std::find(list_.begin(), list_.end(), one.endpoint) == list_.end();
  });
  for (const Failed& one : failed_) {
    const auto at = std::find(list_.begin(), list_.end(), one.endpoint);
    std::rotate(at, at + 1, list_.end());
  }
}

void Addresses::failed(Endpoint endpoint) {
  const auto at = std::find(list_.begin(), list_.end(), endpoint);
  if (at == list_.end()) return;
  std::rotate(at, at + 1, list_.end());
  std::erase_if(failed_, [&](const Failed& one) { return one.endpoint == endpoint; });
  failed_.push_back({endpoint, std::chrono::steady_clock::now()});
  if (good_until_ != SteadyTime::max()) {
    good_until_ = std::min(good_until_, resolved_at_ + kRememberedInDoubt);
  }
}

}  // namespace einlass::http
