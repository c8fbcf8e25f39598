#include "app/setup/token_source.h"

#include <chrono>
#include <utility>

#include "adapters/http/aws/msk_tokens.h"
#include "adapters/http/login/token_client.h"
#include "net/secret.h"
#include "units/time.h"

namespace einlass::app {
namespace {

constexpr Duration kAskTimeout = Duration::seconds(10);

// From a token server, for a secret.
class OauthTokens final : public TokenSource {
 public:
  OauthTokens(boost::asio::io_context& io, const KafkaLoginOptions& options, Done done)
      : client_id_(options.login.token.client_id),
        secret_(options.login.secret, net::header_trouble),
        client_(io, options.login.token, {}, options.certificates, kAskTimeout, std::move(done)) {}

  void ask() override { client_.ask(secret_.value()); }
  bool is_asking() const override { return client_.is_asking(); }
  bool look() override {
    client_.look();
    return secret_.look();
  }
  std::string trouble() const override { return secret_.trouble(); }
  void was_refused() override {}
  std::string principal() const override { return client_id_; }
  std::string in_words() const override { return "token from " + client_.peer(); }

 private:
  const std::string client_id_;
  net::Secret secret_;
  http::TokenClient client_;
};

// Signed here, with AWS credentials.
class MskTokens final : public TokenSource {
 public:
  MskTokens(boost::asio::io_context& io, const MskLoginOptions& options, Done done)
      : tokens_(io, options.credentials, options.region, std::move(done)) {}

  void ask() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    tokens_.ask({std::chrono::duration_cast<std::chrono::microseconds>(now).count()});
  }
  bool is_asking() const override { return tokens_.is_asking(); }
  bool look() override { return tokens_.look(); }
  std::string trouble() const override { return {}; }  // It reads its files when it is asked.
  void was_refused() override { tokens_.was_refused(); }
  std::string principal() const override { return "aws_msk_iam"; }
  std::string in_words() const override { return "token for Amazon MSK"; }

 private:
  http::MskTokens tokens_;
};

}  // namespace

std::unique_ptr<TokenSource> oauth_tokens(boost::asio::io_context& io,
                                          const KafkaLoginOptions& options,
                                          TokenSource::Done done) {
  return std::make_unique<OauthTokens>(io, options, std::move(done));
}

std::unique_ptr<TokenSource> msk_tokens(boost::asio::io_context& io, const MskLoginOptions& options,
                                        TokenSource::Done done) {
  return std::make_unique<MskTokens>(io, options, std::move(done));
}

}  // namespace einlass::app
