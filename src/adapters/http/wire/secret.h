// A secret that may stand in a file, and be renewed there while the gate runs.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace einlass::http {

struct SecretOptions {
  std::string value;
  std::string file;  // Where the value was read from, and is read again; empty: nowhere.

  bool operator==(const SecretOptions&) const = default;
};

// Tells when a file has become another: replaced, written again, gone or back.
class WatchedFile {
 public:
  // An empty path never changes.
  explicit WatchedFile(std::string path);

  // True if it is not what it was when this was last asked, or made.
  bool changed();

  const std::string& path() const { return path_; }

 private:
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec written{};
    timespec changed{};  // Also by who may read it.
  };
  Stamp stamp() const;

  std::string path_;
  Stamp seen_;
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

// RFC 4648, section 4, with padding.
std::string base64(std::string_view bytes);

// The way back; none if the text is no base64 with its padding.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace einlass::http
