// Texts with placeholders for what a record brings: `/orders/{key}?tenant={header:tenant}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/text/values.h"

namespace einlass::config {

struct TemplatePiece {
  enum class Kind { text, topic, partition, offset, key, header, json } kind = Kind::text;
  std::string text;  // The text itself, the header's name, or the JSON pointer.

  bool operator==(const TemplatePiece&) const = default;
};

// No two texts stand side by side.
using Template = std::vector<TemplatePiece>;

// {topic} {partition} {offset} {key} {header:NAME} {json:/pointer}; {{ and }} for braces.
Parsed<Template> parse_template(std::string_view text);

// Whether anything of a record stands in it.
bool takes_from_record(const Template& parts);

// The way back.
std::string to_text(const Template& parts);

}  // namespace einlass::config
