#include "config/placed.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <variant>

#include "config/document.h"
#include "config/read_config.h"

namespace einlass::config {
namespace {

// The value at `path` below `node`; null if there is none. A name may have dots in it.
const Node* find(const Node* node, std::string_view path) {
  if (path.empty() || node == nullptr) return node;
  for (const Entry& entry : node->entries) {
    if (!path.starts_with(entry.name)) continue;
    const std::string_view rest = path.substr(entry.name.size());
    if (!rest.empty() && rest.front() != '.') continue;
    const Node* const found = find(entry.value, rest.substr(rest.empty() ? 0 : 1));
    if (found != nullptr) return found;
  }
  return nullptr;
}

Place place_of(const std::string& file, std::string_view path) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto parsed = parse_document(text);
  const auto* const document = std::get_if<Document>(&parsed);
  if (document == nullptr) return {};
  const Node* node = find(document->root, path);
  if (node == nullptr) node = find(document->root, std::string(path) + "_file");
  return node == nullptr ? Place{} : node->place;
}

}  // namespace

std::string placed(const std::string& file, std::string mistake) {
  // librdkafka ends some of what it says with a line break.
  mistake.erase(mistake.find_last_not_of(" \n") + 1);
  std::replace(mistake.begin(), mistake.end(), '\n', ' ');
  const Place place = place_of(file, std::string_view(mistake).substr(0, mistake.find(": ")));
  return Mistake{file, place.line, place.column, "", std::move(mistake)}.to_string();
}

}  // namespace einlass::config
