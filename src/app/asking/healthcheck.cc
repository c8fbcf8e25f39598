#include "app/asking/healthcheck.h"

#include <cstdio>
#include <exception>
#include <string>

#include "adapters/http/client/fetch.h"
#include "app/asking/admin_client.h"
#include "app/process/exit_codes.h"
#include "text/shown.h"

namespace einlass::app {
namespace {

// Shows no token and is told no more than a word, so it asks whoever answers, as the probes of
// Kubernetes do: a certificate that is half renewed on disk must not have the gate killed.
http::Fetched ask(const http::TargetOptions& request) {
  try {
    return http::fetch(request);
  } catch (const std::exception& error) {
    return {.status = 0, .body = {}, .trouble = error.what()};
  }
}

}  // namespace

int healthcheck(const config::Config& config) {
  http::TargetOptions request = admin_request(config.admin, "/healthz");
  request.certificates.only_cert_file.clear();
  request.certificates.verify = false;
  http::Fetched answer = ask(request);
  while (answer.body.ends_with('\n')) answer.body.pop_back();
  if (answer.status == 200) {
    std::printf("%s\n", shown(answer.body).c_str());
    return kExitDone;
  }
  const std::string why =
      answer.status != 0 ? answer.body : answer.trouble + "; is the gate running?";
  std::fprintf(stderr, "einlass: %s://%s/healthz: %s\n", request.tls ? "https" : "http",
               to_text(config::HostPort{request.host, request.port}).c_str(), shown(why).c_str());
  return kExitFailed;
}

}  // namespace einlass::app
