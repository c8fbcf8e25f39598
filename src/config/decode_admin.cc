// Where the admin pages are served, and to whom.
#include <algorithm>
#include <cstddef>

#include "config/address.h"
#include "config/decode.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

constexpr std::size_t kLongestToken =
    4096;  // What fits into the head of a request, with Basic too.

// Wrong ones are told without what stands in them.
void decode_token(Section& section, FileSecret& token) {
  if (!read_secret(section, "token", token)) return;
  const auto fits = [](char c) { return c > 0x20 && c < 0x7f; };
  std::string trouble;
  if (token.value.empty()) {
    trouble = "is empty, and would keep nobody out; leave it out if everybody may see the pages";
  } else if (token.value.size() > kLongestToken) {
    trouble = "is longer than 4096 characters";
  } else if (!std::all_of(token.value.begin(), token.value.end(), fits)) {
    trouble = "has a blank, a line break or another character that no token may have";
  }
  if (trouble.empty()) return;
  const std::string written = written_as(section, "token");
  section.reading().wrong(section.place_of(written), section.path_of(written), trouble);
}

void decode_tls(Section& parent, Admin& admin) {
  if (!parent.has("tls")) return;
  Section section(parent.reading(), parent.find("tls"), parent.path_of("tls"), "admin.tls");
  section.refuse_unknown_keys();
  for (const auto& [name, path] :
       {std::pair("cert_file", &admin.cert_file), std::pair("key_file", &admin.key_file)}) {
    section.require(name, "write " + std::string(name) + ": PATH");
    if (section.read_text(name, *path) && path->empty()) {
      section.reading().wrong(section.place_of(name), section.path_of(name), "names no file");
    }
  }
}

}  // namespace

void decode_admin(Section& top, Admin& admin) {
  Section section(top.reading(), top.find("admin"), "admin", "admin");
  section.refuse_unknown_keys();
  HostPort listen{admin.host, admin.port};
  const auto parse = [](const Scalar& s) { return parse_host_port(s.text, std::nullopt); };
  section.read("listen", listen, parse);
  admin.host = listen.host;
  admin.port = listen.port;
  decode_token(section, admin.token);
  decode_tls(section, admin);
}

}  // namespace einlass::config
