#include "adapters/http/aws/credentials.h"

#include <cstddef>

#include "text/ascii.h"

namespace einlass::http {
namespace {

// Longer ones AWS does not give, and a broker's head would not take.
constexpr std::size_t kLongest = 16 * 1024;

}  // namespace

std::string trouble_with(const AwsCredentials& credentials,
                         const std::array<std::string_view, 3>& names) {
  const std::array<std::string_view, 3> texts = {
      credentials.access_key_id, credentials.secret_access_key, credentials.session_token};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name(names[i]);
    if (texts[i].empty() && i < 2) return name + " is missing";
    if (texts[i].size() > kLongest) return name + " is longer than 16KiB";
    if (!texts[i].empty() && !is_visible(texts[i])) {
      return name + " has a blank or another character that no AWS credential has";
    }
  }
  return "";
}

}  // namespace einlass::http
