#include "config/file/located.h"

#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "config/text/document.h"
#include "config/text/mistake.h"

namespace einlass::config {
namespace {

// The value at `path` below `node`; null if there is none. A name may have dots in it.
const Node* find(const Node* node, std::string_view path) {
  if (path.empty() || node == nullptr) return node;
  if (path.front() == '[') {
    const std::size_t end = path.find(']');
    std::size_t index = 0;
    std::from_chars(path.data() + 1, path.data() + path.size(), index);
    if (end == std::string_view::npos || index >= node->items.size()) return nullptr;
    path.remove_prefix(end + 1);
    return find(node->items[index], path.substr(path.starts_with('.') ? 1 : 0));
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

// Null if there is none.
const Node* node_at(const Config& config, std::string_view path) {
  const Document* const document = config.written.document.get();
  return document == nullptr ? nullptr : find(document->root, path);
}

std::string one_located(const Config& config, const std::string& file, std::string mistake) {
  const std::string path = mistake.substr(0, mistake.find(": "));
  const Node* node = node_at(config, path);
  if (node == nullptr) node = node_at(config, path + "_file");
  const Position position = node == nullptr ? Position{} : node->position;
  return Mistake{file, position.line, position.column, "", std::move(mistake)}.to_string();
}

}  // namespace

std::string located(const Config& config, const std::string& file, const std::string& mistakes) {
  std::istringstream lines(mistakes);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \r") + 1);
    if (line.empty()) continue;
    all += (all.empty() ? "" : "\n") + one_located(config, file, std::move(line));
  }
  return all;
}

bool is_written(const Config& config, std::string_view path) {
  return node_at(config, path) != nullptr;
}

}  // namespace einlass::config
