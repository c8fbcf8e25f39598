// The path of a URL in which records write parts: what stands in a segment, never which segments
// there are. Servers decode a path before they resolve `..` in it, and some of those on the way to
// them decode it too; so it is judged as it is decoded once, and as it is decoded twice.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/templates.h"

namespace einlass::app {

// Path and query, cut before each `/` that follows a record's part, and before the query.
struct PathStretch {
  config::Template pieces;
  std::string parts;           // The record's, as `{key}`; empty for none, and for the query.
  std::size_t separators = 0;  // Of segments: what it has of them without the record.
};

// `allow_slash`: a record may write `/`, which then counts for no separator.
std::vector<PathStretch> path_stretches(const config::Template& path, bool allow_slash);

// Why what a record makes of a stretch (percent-encoded) cannot stand in a path: it would be other
// segments than were meant. Empty: it can.
std::string path_trouble(const PathStretch& stretch, std::string_view written, bool allow_slash);

}  // namespace einlass::app
