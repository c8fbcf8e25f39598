// Finds AWS credentials where AWS' own clients look for them: in the environment, in the file of
// profiles, at the server of the container, in the metadata of the instance (IMDSv2). The first of
// these that is there has to have them: nothing falls back to another identity. A file that had
// them is there, also while it is written anew.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/http/aws/credentials_answer.h"
#include "adapters/http/aws/options.h"
#include "adapters/http/client/single_exchange.h"
#include "net/watched_file.h"
#include "units/time.h"

namespace einlass::http {

// REQUIRES: outlived by `io`; used on the thread that runs it.
class CredentialChain {
 public:
  using Done = std::function<void(const AwsAnswer&)>;

  // Throws std::runtime_error if a server in the options cannot be asked.
  CredentialChain(boost::asio::io_context& io, AwsOptions options, Done done);

  // Looks for them; ends in `done`, perhaps before this returns. `now` is on the system's clock.
  // REQUIRES: !is_asking().
  void ask(Instant now);
  bool is_asking() const { return server_ && server_->is_open(); }

  // To be called every now and then, as SingleExchange::look(). True if the file is another than at
  // the last look: others may stand in it.
  bool look() {
    if (server_) server_->look();
    return file_.changed();
  }

 private:
  // So long a server has for an answer; of the metadata there are three.
  static constexpr Duration kTimeout = Duration::seconds(2);
  static constexpr std::size_t kMostBody = 64 * 1024;

  std::string nowhere_before() const;
  bool ask_file();
  void ask_container();
  void ask_metadata();
  void ask_for_role();
  void ask_for_credentials(std::string_view role);

  // `then` gets the body of an answer with status 200; whatever else comes is a failure.
  void send(std::string_view method, std::string_view path, const RequestHeader& header,
            std::function<void(std::string_view body)> then);
  void take(std::string_view body);
  void fail(const std::string& why) { done_({{}, why}); }

  const AwsOptions options_;
  const Done done_;
  net::WatchedFile file_;
  bool file_had_them_ = false;
  std::unique_ptr<SingleExchange> server_;  // The container's or the instance's; null: neither.
  std::string asked_;                       // Which of them, in messages.
  Instant now_;                             // As ask() was told.
  std::string metadata_token_;              // Lets us ask on.
};

}  // namespace einlass::http
