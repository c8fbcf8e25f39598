// Who a connection logs in as.
#pragma once

#include <string>

namespace einlass::redis {

struct Login {
  std::string username;       // Empty: the default user.
  std::string password;       // Empty: no login.
  std::string password_file;  // Not empty: it is read anew for each login, where it can be read.
};

// Appends AUTH with the password as it is now, and says which that is; empty: there is none.
std::string append_login(std::string& out, const Login& login);

}  // namespace einlass::redis
