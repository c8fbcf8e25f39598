// What Redis' error replies mean for the store, in words for an operator.
#pragma once

#include <string>
#include <string_view>

namespace einlass::redis {

struct Trouble {
  std::string detail;      // One sentence that says what to do; holds nothing of keys or secrets.
  bool reconnect = false;  // Another server may stand behind the same name by now.
};

// The server does not know the script's digest; the script did not run.
bool is_unknown_script(std::string_view error);

// `error` is the reply's text, `where` the server's address.
Trouble explain(std::string_view error, std::string_view where);

}  // namespace einlass::redis
