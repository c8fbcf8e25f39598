#include "adapters/http/login/login.h"

#include <algorithm>
#include <utility>

#include "net/encoding.h"

namespace einlass::http {
namespace {

using Kind = LoginOptions::Kind;

}  // namespace

Login::Login(boost::asio::io_context& io, std::string target, LoginOptions options,
             const ProxyOptions& proxy, const TlsOptions& tls, Duration timeout,
             std::function<void()> changed, Notify notify)
    : target_{std::move(target)},
      options_{std::move(options)},
      secret_{options_.secret, net::header_trouble},
      changed_{std::move(changed)},
      notify_{std::move(notify)} {
  if (options_.kind == Kind::oauth2) {
    tokens_ = std::make_unique<TokenClient>(
        io, options_.token, proxy, tls, std::min(timeout, options_.longest_ask),
        [this](const TokenAnswer& answer) { token_came(answer); });
    trouble_ = token_trouble_ = "no token yet from " + tokens_->peer();
  } else {
    header_ = rendered();
  }
}

std::string Login::rendered() const {
  if (options_.kind == Kind::bearer) return "Bearer " + secret_.value();
  return "Basic " + net::base64(options_.username + ":" + secret_.value());
}

void Login::take_over(const Login& before) {
  failing_ = before.failing_;  // As was told: its end is told too.
  if (!tokens_) trouble_ = before.trouble_;
  LoginOptions same = before.options_;
  same.secret = options_.secret;
  const bool alike = same == options_ && before.secret_.value() == secret_.value();
  if (!tokens_ || !alike || before.header_.empty()) return;
  renewal_ = before.renewal_;
  next_renewal_ = before.next_renewal_;
  trouble_ = before.trouble_;
  token_trouble_ = before.token_trouble_;
  set(before.header_);
}

void Login::look(SteadyTime now) {
  const bool secret_changed = secret_.look();
  if (tokens_) {
    look_for_token(secret_changed, now);
  } else if (secret_changed) {
    set(rendered());
  }
  tell_of_both();
}

void Login::look_for_token(bool secret_changed, SteadyTime now) {
  tokens_->look();
  if (renewal_.has_expired(now) && !header_.empty()) {
    // The answer to the question for the next one may be long in coming.
    if (token_trouble_.empty()) {
      token_trouble_ = "no token from " + tokens_->peer() + ": the last one has expired";
    }
    set({});
  }
  // Another secret may be what it takes.
  if (secret_changed && header_.empty()) renewal_.hurry(now);
  if (tokens_->is_asking() || !renewal_.is_due(now)) return;
  renewal_.asked(now);
  tokens_->ask(secret_.value());
}

void Login::token_came(const TokenAnswer& answer) {
  renewing_ = false;
  if (answer.token.empty()) {
    renewal_.failed(std::chrono::steady_clock::now());
    token_trouble_ = "no token from " + tokens_->peer() + ": " + answer.trouble;
    return tell_of_both();
  }
  renewal_.came(answer.life);
  token_trouble_.clear();
  tell_of_both();
  set("Bearer " + answer.token);
}

bool Login::refused(std::uint32_t generation, SteadyTime now) {
  if (!tokens_) return false;
  if (generation != generation_ || renewing_) return true;  // There is another, or will be.
  if (now < next_renewal_) return false;
  next_renewal_ = now + kRefusedGap;
  renewing_ = true;
  renewal_.hurry(now);
  return true;
}

std::vector<std::string> Login::secrets() const {
  std::vector<std::string> all;
  for (const std::string& header : {header_, previous_header_}) {
    if (header.empty()) continue;
    all.push_back(header.substr(header.find(' ') + 1));
    if (options_.kind != Kind::basic) continue;
    const auto login = net::base64_decoded(all.back());
    all.push_back(login->substr(options_.username.size() + 1));
  }
  return all;
}

void Login::set(std::string header) {
  if (!header_.empty() && header != header_) previous_header_ = std::move(header_);
  header_ = std::move(header);
  ++generation_;
  changed_();
}

// A secret that cannot be read is no trouble yet where a token is there, but will be one.
void Login::tell_of_both() { tell(token_trouble_.empty() ? secret_.trouble() : token_trouble_); }

// A trouble that goes on in other words is told in those too.
void Login::tell(std::string trouble) {
  if (trouble == trouble_) return;
  trouble_ = std::move(trouble);
  const bool was_failing = std::exchange(failing_, !trouble_.empty());
  if (!notify_) return;
  if (failing_) {
    notify_({Severity::warning, "target_login_failing", "login at " + target_ + ": " + trouble_});
  } else if (was_failing) {
    notify_({Severity::info, "target_login_ok", "login at " + target_ + " works again"});
  }
}

}  // namespace einlass::http
