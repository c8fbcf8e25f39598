#include "config/secrets.h"

#include <set>

#include "config/expand.h"
#include "config/names.h"
#include "units/secret_file.h"

namespace einlass::config {
namespace {

constexpr std::string_view kSuffix = "_file";

void refuse_both(Reading& reading, const Node& node, const std::string& path,
                 std::string_view name) {
  reading.wrong(node.place, path, "stands beside " + std::string(name) + "; keep one of them");
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

bool read_secret(Section& section, std::string_view name, std::string& out) {
  const std::string file_name = std::string(name) + std::string(kSuffix);
  const Node* file = section.find(file_name);
  if (file != nullptr && section.has(name)) {
    refuse_both(section.reading(), *file, section.path_of(file_name), name);
    return false;
  }
  if (file == nullptr) {
    return section.read(
        name, out, [](const Scalar& s) { return parse_text(s); }, true);
  }
  auto text = read_secret_file(section.reading(), *file, section.path_of(file_name));
  if (text) out = std::move(*text);
  return text.has_value();
}

bool read_secret(Section& section, std::string_view name, FileSecret& out) {
  if (!read_secret(section, name, out.value)) return false;
  const std::string file_name = std::string(name) + std::string(kSuffix);
  const Node* file = section.find(file_name);
  if (file == nullptr) return true;
  const auto path = section.reading().scalar(*file, section.path_of(file_name));
  if (path) out.file = path->text;
  return path.has_value();
}

std::string written_as(const Section& section, std::string_view name) {
  const std::string file = std::string(name) + std::string(kSuffix);
  return section.has(file) ? file : std::string(name);
}

void read_free_texts(Section& section, std::string_view name, Secrets secrets,
                     const std::function<void(const Entry&, std::string_view, std::string)>& take) {
  Reading& reading = section.reading();
  const auto is_secret = [&](std::string_view written) {
    if (secrets == Secrets::of_headers) return may_be_secret(written);
    return secrets == Secrets::all || is_secret_name(written);
  };
  const std::string path = section.path_of(name);
  const auto entries = map_entries(reading, section.find(name), path);
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
