// A secret that may stand in a file, and be renewed there while the gate runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "net/watched_file.h"

namespace einlass::net {

struct SecretOptions {
  std::string value;
  std::string file;  // Where the value was read from, and is read again; empty: nowhere.

  bool operator==(const SecretOptions&) const = default;
};

// The value of a secret as it now is. REQUIRES: used by one thread.
class Secret {
 public:
  // `usable` says what is wrong with a value, in words that do not have it; empty: nothing.
  using Usable = std::function<std::string(std::string_view value)>;

  Secret(SecretOptions options, Usable usable);

  const std::string& value() const { return value_; }

  // Reads the file again if it has changed. True if value() is another now.
  bool look();

  // Why what the file now holds is not used; empty if it is. The old value is kept meanwhile.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string read();

  std::string value_;
  WatchedFile file_;
  Usable usable_;
  std::string trouble_;
};

// What is wrong with a text that is to stand in a header; empty: nothing.
std::string header_trouble(std::string_view text);

}  // namespace einlass::net
