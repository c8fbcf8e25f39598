#include "adapters/http/wire/secret.h"

#include <openssl/evp.h>

#include <algorithm>
#include <utility>

#include "units/secret_file.h"

namespace einlass::http {

WatchedFile::WatchedFile(std::string path) : path_{std::move(path)}, seen_{stamp()} {}

WatchedFile::Stamp WatchedFile::stamp() const {
  struct stat found {};
  if (path_.empty() || ::stat(path_.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, found.st_size, found.st_mtim, found.st_ctim};
}

bool WatchedFile::changed() {
  if (path_.empty()) return false;
  const Stamp now = stamp();
  const auto at_once = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  const bool same = now.device == seen_.device && now.inode == seen_.inode &&
                    now.size == seen_.size && at_once(now.written, seen_.written) &&
                    at_once(now.changed, seen_.changed);
  seen_ = now;
  return !same;
}

Secret::Secret(SecretOptions options, Usable usable)
    : value_{std::move(options.value)}, file_{std::move(options.file)}, usable_{std::move(usable)} {
  // It may have been renewed since the value was read.
  if (!file_.path().empty()) trouble_ = read();
}

bool Secret::look() {
  if (!file_.changed()) return false;
  const std::string before = value_;
  trouble_ = read();
  return value_ != before;
}

std::string Secret::read() {
  SecretText read = read_secret_text(file_.path());
  std::string why = read.trouble.empty() ? usable_(read.value) : read.trouble;
  if (!why.empty()) return file_.path() + " cannot be used, and what it held before is: " + why;
  value_ = std::move(read.value);
  return {};
}

std::string header_trouble(std::string_view text) {
  if (text.empty()) return "it is empty";
  const bool visible =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  return visible ? "" : "it has a line break or another character that no header may have";
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace einlass::http
