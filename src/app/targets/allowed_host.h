// Which hosts a record may name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace einlass::app {

// Whether the text is the name of a host, or an IPv4 address, and nothing else of a URL: labels of
// letters, digits, - and _ between dots.
bool is_host_name(std::string_view text);

// Whether one of the patterns has it: the name itself, *.NAME for what is below it, or * for all.
// REQUIRES: small letters in both.
bool is_allowed_host(std::string_view host, const std::vector<std::string>& patterns);

}  // namespace einlass::app
