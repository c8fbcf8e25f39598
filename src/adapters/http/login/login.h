// As whom requests to a target are made: the value of their Authorization header as it now is.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/login/token_client.h"
#include "net/secret.h"
#include "net/token_renewal.h"
#include "units/notice.h"

namespace einlass::http {

// REQUIRES: outlived by `io`; used on the thread that runs it.
class Login {
 public:
  // `changed` is called when header() is another. Nothing is asked for before the first look().
  // Says "target_login_failing" and "target_login_ok" to `notify` when that changes.
  Login(boost::asio::io_context& io, std::string target, LoginOptions options,
        const ProxyOptions& proxy, const TlsOptions& tls, Duration timeout,
        std::function<void()> changed, Notify notify);

  // The header's value; empty while there is none, and then nothing may be sent.
  const std::string& header() const { return header_; }

  // What nobody is to see of header() and of the one before, with which requests may be under way
  // yet: what stands behind the scheme, and a password also as it is.
  std::vector<std::string> secrets() const;

  // Counts the values of header().
  std::uint32_t generation() const { return generation_; }

  // Why there is none, or why it could not be renewed; empty if all is well.
  const std::string& trouble() const { return trouble_; }

  // A target has refused (401) what had this generation. A token is then asked for anew, every
  // kRefusedGap at most; until it has come the old one is used on, for whoever else takes it. False
  // if there is nothing that may help.
  bool refused(std::uint32_t generation, SteadyTime now);

  // Goes on from another login at the same target, with its token if that is what this one would
  // ask for. REQUIRES: before the first look().
  void take_over(const Login& before);

  // To be called every now and then: reads files again, and asks for tokens before they expire.
  void look(SteadyTime now);

 private:
  static constexpr std::chrono::seconds kRefusedGap{30};

  void look_for_token(bool secret_changed, SteadyTime now);
  void token_came(const TokenAnswer& answer);
  void set(std::string header);
  void tell_of_both();
  void tell(std::string trouble);
  std::string rendered() const;

  std::string target_;
  LoginOptions options_;
  net::Secret secret_;
  std::function<void()> changed_;
  Notify notify_;
  std::unique_ptr<TokenClient> tokens_;  // With oauth2.
  std::string header_;
  std::string previous_header_;
  std::string trouble_;
  std::string token_trouble_;  // Why there is no token, where there should be one.
  std::uint32_t generation_ = 0;
  net::TokenRenewal renewal_;
  SteadyTime next_renewal_{};  // For a refusal, not before.
  bool renewing_ = false;      // For a refusal, and no answer yet.
  bool failing_ = false;       // As was told.
};

}  // namespace einlass::http
