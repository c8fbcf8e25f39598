#include "units/secret_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace einlass {

SecretText read_secret_text(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostSecretBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && errno != 0)) {
    return {"", std::string("cannot be read: ") + std::strerror(errno)};
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostSecretBytes) return {"", "holds more than 64KiB"};
  if (text.find('\0') != std::string::npos) return {"", "holds a NUL byte; a secret is text"};
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return {std::move(text), ""};
}

}  // namespace einlass
