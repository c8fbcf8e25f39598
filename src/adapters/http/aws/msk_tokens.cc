#include "adapters/http/aws/msk_tokens.h"

#include <algorithm>
#include <utility>

namespace einlass::http {

MskTokens::MskTokens(boost::asio::io_context& io, AwsOptions options, std::string region, Done done)
    : region_{std::move(region)},
      done_{std::move(done)},
      chain_{io, std::move(options), [this](const AwsAnswer& answer) { came(answer); }} {}

void MskTokens::ask(Instant now) {
  now_ = now;
  const bool good_for_long = credentials_ && credentials_->expires && left() > kRenewBefore;
  if (good_for_long && !look_for_others_) return done_(made(kMskTokenLife, ""));
  look_for_others_ = false;
  chain_.ask(now);
}

void MskTokens::came(const AwsAnswer& answer) {
  if (answer.trouble.empty()) {
    credentials_ = answer.credentials;
    return done_(made(kMskTokenLife, ""));
  }
  look_for_others_ = true;
  std::string trouble = "no AWS credentials: " + answer.trouble;
  if (left() > Duration{}) return done_(made(kShortLife, std::move(trouble)));
  done_({"", std::nullopt, std::move(trouble)});
}

TokenAnswer MskTokens::made(Duration life, std::string trouble) const {
  return {msk_token(*credentials_, region_, now_), std::min(life, left()), std::move(trouble)};
}

Duration MskTokens::left() const {
  if (!credentials_) return {};
  return credentials_->expires ? *credentials_->expires - now_ : kMskTokenLife;
}

}  // namespace einlass::http
