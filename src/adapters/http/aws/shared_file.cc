#include "adapters/http/aws/shared_file.h"

#include <algorithm>

#include "text/ascii.h"

namespace einlass::http {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

void take(std::string_view line, AwsCredentials& into) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return;
  const std::string_view name = trimmed(line.substr(0, equals));
  const std::string_view value = trimmed(line.substr(equals + 1));
  if (same_name(name, "aws_access_key_id")) into.access_key_id = value;
  if (same_name(name, "aws_secret_access_key")) into.secret_access_key = value;
  if (same_name(name, "aws_session_token")) into.session_token = value;
}

}  // namespace

std::optional<AwsCredentials> profile_in(std::string_view text, std::string_view profile) {
  std::optional<AwsCredentials> found;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {  // Behind the bracket there may be a comment.
      const std::size_t close = line.find(']');
      inside = close != line.npos && trimmed(line.substr(1, close - 1)) == profile;
      if (inside && !found) found.emplace();
    } else if (inside) {
      take(line, *found);
    }
  }
  return found;
}

}  // namespace einlass::http
