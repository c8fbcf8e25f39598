// Access tokens for Amazon MSK: signed here, with credentials that are got from wherever they are
// given out, and renewed before they expire.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>

#include "adapters/http/aws/credential_chain.h"
#include "adapters/http/aws/msk_token.h"
#include "adapters/http/login/token_answer.h"

namespace einlass::http {

// REQUIRES: as for CredentialChain.
class MskTokens {
 public:
  using Done = std::function<void(const TokenAnswer&)>;

  // `region` as msk_token() has it. Throws as CredentialChain does.
  MskTokens(boost::asio::io_context& io, AwsOptions options, std::string region, Done done);

  // Makes one; ends in `done`, perhaps before this returns. A token that was made with what was
  // there before, because there is nothing newer, comes with the trouble that kept that away.
  // `now` is on the system's clock. REQUIRES: !is_asking().
  void ask(Instant now);
  bool is_asking() const { return chain_.is_asking(); }

  // True if other credentials may be there; then they are looked for with the next token.
  bool look() {
    const bool changed = chain_.look();
    look_for_others_ = look_for_others_ || changed;
    return changed;
  }

  // Brokers do not take the last token: what it was signed with is not believed any more.
  void was_refused() { credentials_.reset(); }

 private:
  // Credentials that are given out for a time are asked for anew this long before its end, and then
  // with every token; before that only where others may be there.
  static constexpr Duration kRenewBefore = kMskTokenLife * 2;

  // How long a token counts that was made with what could not be renewed: so soon that is tried
  // again.
  static constexpr Duration kShortLife = Duration::seconds(120);

  void came(const AwsAnswer& answer);
  TokenAnswer made(Duration life, std::string trouble) const;

  // How long what there is may be used yet.
  Duration left() const;

  const std::string region_;
  const Done done_;
  CredentialChain chain_;
  std::optional<AwsCredentials> credentials_;  // The last that came.
  bool look_for_others_ = false;               // However long those are good.
  Instant now_;                                // As ask() was told.
};

}  // namespace einlass::http
