#include "config/model/query.h"

#include <algorithm>
#include <optional>

#include "config/model/address.h"

namespace einlass::config {
namespace {

std::optional<std::string> decoded(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '+', ' ');
  return any_percent_decoded(plain);
}

}  // namespace

std::variant<QueryFields, std::string> parse_query(std::string_view query,
                                                   std::initializer_list<std::string_view> known,
                                                   std::string_view usage) {
  QueryFields fields;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t mark = std::min(pair.find('='), pair.size());
    const auto name = decoded(pair.substr(0, mark));
    const auto value = decoded(pair.substr(std::min(mark + 1, pair.size())));
    if (!name || !value) return "the query is not percent-encoded text";
    if (std::find(known.begin(), known.end(), *name) == known.end()) {
      return "'" + *name + "' is not known; " + std::string(usage);
    }
    if (!fields.emplace(*name, *value).second) return *name + " stands there twice";
  }
  return fields;
}

}  // namespace einlass::config
