// The query of a URL, read strictly: what a page does not know is refused and never passed over.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace einlass::config {

using QueryFields = std::map<std::string, std::string, std::less<>>;

// The fields by name, percent-decoded, a plus as a space; or what is wrong, as a sentence. Wrong is
// what is not percent-encoded, a name that is not among `known` (`usage` says then what to write),
// and a name that stands there twice.
std::variant<QueryFields, std::string> parse_query(std::string_view query,
                                                   std::initializer_list<std::string_view> known,
                                                   std::string_view usage);

}  // namespace einlass::config
