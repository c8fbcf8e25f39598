#include "adapters/redis/client/login.h"

#include <utility>

#include "adapters/redis/wire/resp.h"
#include "units/secret_file.h"

namespace einlass::redis {

std::string append_login(std::string& out, const Login& login) {
  std::string password = login.password;
  if (!login.password_file.empty()) {
    // One that is gone, or being written, may be there at the next login; the last one may do.
    SecretText renewed = read_secret_text(login.password_file);
    if (!renewed.value.empty()) password = std::move(renewed.value);
  }
  if (password.empty()) return password;
  append_array(out, login.username.empty() ? 2 : 3);
  append_bulk(out, "AUTH");
  if (!login.username.empty()) append_bulk(out, login.username);
  append_bulk(out, password);
  return password;
}

}  // namespace einlass::redis
