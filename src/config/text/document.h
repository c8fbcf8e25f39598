// A YAML text as a tree in which every value and every key knows its position. yaml-cpp scans; the
// tree is ours, because yaml-cpp's own takes duplicate keys silently and forgets where keys stand.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace einlass::config {

// At most this many bytes in a file, and this many values in the tree, where what an alias stands
// for counts each time. So a small file cannot stand for an endless one.
inline constexpr std::size_t kMostFileBytes = 1 << 20;
inline constexpr std::int64_t kMostValues = 100'000;

// 1-based, the column in bytes; line 0 where no position can be named.
struct Position {
  int line = 0;
  int column = 0;

  auto operator<=>(const Position&) const = default;
};

struct Node;

struct Entry {
  Position position;  // Of the key.
  std::string name;
  const Node* value = nullptr;
};

struct Node {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  Position position;
  std::string text;    // Of a scalar, before variables are expanded.
  bool plain = false;  // A scalar without quotes.
  std::vector<const Node*> items;
  std::vector<Entry> entries;  // In the order of the file; a key may be there twice.
  std::int64_t values = 1;     // With everything below it.
};

// Owns all nodes of one text.
struct Document {
  std::deque<Node> nodes;
  const Node* root = nullptr;
};

struct SyntaxMistake {
  Position position;
  std::string text;
};

// The one document of the text, or the first thing that makes it none. Never throws.
std::variant<Document, SyntaxMistake> parse_document(std::string_view text);

}  // namespace einlass::config
