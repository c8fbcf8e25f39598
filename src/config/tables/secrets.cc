#include "config/tables/secrets.h"

#include <set>

#include "config/model/names.h"
#include "config/text/expand.h"
#include "config/text/plain_text.h"
#include "units/secret_file.h"

namespace einlass::config {
namespace {

constexpr std::string_view kSuffix = "_file";

void refuse_both(Reading& reading, const Node& node, const std::string& path,
                 std::string_view name) {
  reading.wrong(node.position, path, "stands beside " + std::string(name) + "; keep one of them");
}

}  // namespace

std::optional<std::string> read_secret_file(Reading& reading, const Node& node,
                                            const std::string& path) {
  const auto name = reading.scalar(node, path);
  if (!name) return std::nullopt;
  SecretText read = read_secret_text(name->text);
  if (!read.trouble.empty()) {
    reading.wrong(*name, read.trouble);
    return std::nullopt;
  }
  return std::move(read.value);
}

bool read_secret(Section& section, FileSecret& out, std::string (*trouble)(const std::string&)) {
  const std::string written = section.written_as(section.option());
  if (written == section.option()) {
    if (!section.read(out.value, parse_text, true)) return false;
  } else {
    const Node& file = *section.find(written);
    const std::string path = section.path_of(written);
    if (section.has(section.option())) {
      refuse_both(section.reading(), file, path, section.option());
      return false;
    }
    auto text = read_secret_file(section.reading(), file, path);
    if (!text) return false;
    out = {std::move(*text), section.reading().scalar(file, path)->text};
  }
  const std::string told = trouble == nullptr ? "" : trouble(out.value);
  if (!told.empty()) section.wrong(written, told);
  return told.empty();
}

void read_free_texts(Section& section, Secrets secrets,
                     const std::function<void(const Entry&, std::string_view, std::string)>& take) {
  Reading& reading = section.reading();
  const auto is_secret = [&](std::string_view written) {
    if (secrets == Secrets::of_headers) return may_be_secret(written);
    return secrets == Secrets::all || is_secret_name(written);
  };
  const std::string path = section.path_of();
  const auto entries = map_entries(reading, section.find(), path);
  std::set<std::string_view> names;
  for (const Entry* entry : entries) names.insert(entry->name);
  for (const Entry* entry : entries) {
    const std::string below_path = below(path, entry->name);
    std::string_view stem = entry->name;
    if (stem.ends_with(kSuffix)) stem.remove_suffix(kSuffix.size());
    if (stem.size() < entry->name.size() && is_secret(stem)) {
      if (names.contains(stem)) {
        refuse_both(reading, *entry->value, below_path, stem);
      } else if (auto text = read_secret_file(reading, *entry->value, below_path)) {
        take(*entry, stem, std::move(*text));
      }
      continue;
    }
    if (secrets == Secrets::of_headers && stem.size() < entry->name.size()) {
      reading.wrong(entry->position, below_path,
                    "the name says a file, but only a secret is read from one, as X-Api-Key_file; "
                    "write " +
                        clipped(stem, 60) + ": VALUE");
      continue;
    }
    const auto scalar = reading.scalar(*entry->value, below_path, is_secret(entry->name));
    if (!scalar) continue;
    if (scalar->plain && is_ambiguous(scalar->text)) {
      reading.wrong(*scalar, std::get<Refusal>(parse_text(*scalar)).text);
    } else {
      take(*entry, entry->name, scalar->text);
    }
  }
}

}  // namespace einlass::config
