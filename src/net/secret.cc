#include "net/secret.h"

#include <algorithm>
#include <utility>

#include "units/secret_file.h"

namespace einlass::net {

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
  if (!why.empty()) return file_.path() + " cannot be used, and the old value stays in use: " + why;
  value_ = std::move(read.value);
  return {};
}

std::string header_trouble(std::string_view text) {
  if (text.empty()) return "it is empty";
  const bool visible =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  return visible ? "" : "it has a line break or another character that no header may have";
}

}  // namespace einlass::net
