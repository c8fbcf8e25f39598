#include "app/targets/path_stretches.h"

#include <algorithm>

#include "text/ascii.h"

namespace einlass::app {
namespace {

using Kind = config::TemplatePiece::Kind;

// What does not stand for a byte stands for itself.
std::string decoded(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = percent_byte(text.substr(i));
    bytes += byte.value_or(text[i]);
    if (byte) i += 2;
  }
  return bytes;
}

// Some servers take a backslash for a slash, and end the path at a NUL.
std::size_t separators(std::string_view path, bool allow_slash) {
  return static_cast<std::size_t>(std::count_if(path.begin(), path.end(), [&](char c) {
    return (c == '/' && !allow_slash) || c == '\\' || c == '\0';
  }));
}

// Servers written in Java take away what stands behind a `;` before they look at a segment.
bool climbs(std::string_view path) {
  for (;;) {
    const std::size_t end = path.find_first_of("/\\");
    std::string_view segment = path.substr(0, end);
    segment = segment.substr(0, segment.find(';'));
    if (segment == "." || segment == "..") return true;
    if (end == path.npos) return false;
    path.remove_prefix(end + 1);
  }
}

void add_text(std::vector<PathStretch>& stretches, std::string_view text, bool& in_path) {
  while (!text.empty()) {
    const bool cut =
        in_path && (text[0] == '?' || (text[0] == '/' && !stretches.back().parts.empty()));
    if (cut) stretches.emplace_back();
    if (text[0] == '?') in_path = false;
    const std::size_t end = in_path ? text.find_first_of("/?", 1) : text.npos;
    const std::string_view taken = text.substr(0, end);
    config::Template& pieces = stretches.back().pieces;
    if (pieces.empty() || pieces.back().kind != Kind::text) pieces.push_back({Kind::text, ""});
    pieces.back().text += taken;
    text.remove_prefix(taken.size());
  }
}

}  // namespace

std::vector<PathStretch> path_stretches(const config::Template& path, bool allow_slash) {
  std::vector<PathStretch> stretches(1);
  bool in_path = true;
  for (const config::TemplatePiece& piece : path) {
    if (piece.kind == Kind::text) {
      add_text(stretches, piece.text, in_path);
      continue;
    }
    stretches.back().pieces.push_back(piece);
    if (in_path) stretches.back().parts += config::to_text({piece});
  }
  for (PathStretch& stretch : stretches) {
    std::string own;
    for (const auto& piece : stretch.pieces) own += piece.kind == Kind::text ? piece.text : "";
    const std::string once = decoded(own);
    stretch.separators = separators(once, allow_slash) + separators(decoded(once), allow_slash);
  }
  return stretches;
}

std::string path_trouble(const PathStretch& stretch, std::string_view written, bool allow_slash) {
  if (stretch.parts.empty()) return "";
  const std::string once = decoded(written), twice = decoded(once);
  if (separators(once, allow_slash) + separators(twice, allow_slash) > stretch.separators) {
    return stretch.parts + (allow_slash ? " has a backslash" : " has a slash, a backslash") +
           " or a NUL, plain or percent-encoded";
  }
  if (climbs(once) || climbs(twice)) return stretch.parts + " would make a segment . or ..";
  return "";
}

}  // namespace einlass::app
