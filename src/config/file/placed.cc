#include "config/file/placed.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "config/text/document.h"
#include "config/text/mistake.h"

namespace einlass::config {
namespace {

// The value at `path` below `node`; null if there is none. A name may have dots in it.
const Node* find(const Node* node, std::string_view path) {
  if (path.empty() || node == nullptr) return node;
  if (path.front() == '[') {
    const std::size_t end = path.find(']');
    std::size_t place = 0;
    std::from_chars(path.data() + 1, path.data() + path.size(), place);
    if (end == std::string_view::npos || place >= node->items.size()) return nullptr;
    path.remove_prefix(end + 1);
    return find(node->items[place], path.substr(path.starts_with('.') ? 1 : 0));
  }
  for (const Entry& entry : node->entries) {
    if (!path.starts_with(entry.name)) continue;
    const std::string_view rest = path.substr(entry.name.size());
    if (!rest.empty() && rest.front() != '.' && rest.front() != '[') continue;
    const Node* const found = find(entry.value, rest.substr(rest.starts_with('.') ? 1 : 0));
    if (found != nullptr) return found;
  }
  return nullptr;
}

// None where the file cannot be read, or is no YAML by now.
std::optional<Document> read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  auto parsed = parse_document(text);
  auto* const document = std::get_if<Document>(&parsed);
  return document == nullptr ? std::nullopt : std::optional(std::move(*document));
}

Place place_of(const std::string& file, std::string_view path) {
  const auto document = read(file);
  if (!document) return {};
  const Node* node = find(document->root, path);
  if (node == nullptr) node = find(document->root, std::string(path) + "_file");
  return node == nullptr ? Place{} : node->place;
}

std::string one_placed(const std::string& file, std::string mistake) {
  const Place place = place_of(file, std::string_view(mistake).substr(0, mistake.find(": ")));
  return Mistake{file, place.line, place.column, "", std::move(mistake)}.to_string();
}

}  // namespace

std::string placed(const std::string& file, const std::string& mistakes) {
  std::istringstream lines(mistakes);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \r") + 1);
    if (!line.empty()) all += (all.empty() ? "" : "\n") + one_placed(file, std::move(line));
  }
  return all;
}

bool is_written(const std::string& file, std::string_view path) {
  const auto document = read(file);
  return document && find(document->root, path) != nullptr;
}

}  // namespace einlass::config
