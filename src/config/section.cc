#include "config/section.h"

#include <algorithm>
#include <set>

#include "config/names.h"
#include "config/suggest.h"
#include "units/check.h"

namespace einlass::config {
namespace {

bool is_in(std::string_view name, const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<const Entry*> map_entries(Reading& reading, const Node* node, const std::string& path) {
  std::vector<const Entry*> entries;
  if (node == nullptr || node->kind == Node::Kind::null) return entries;
  if (node->kind != Node::Kind::map) {
    reading.wrong(node->place, path,
                  "expected a section, not " + std::string(kind_name(node->kind)));
    return entries;
  }
  if (node->entries.size() > kMostEntries) {
    reading.wrong(node->place, path,
                  std::to_string(node->entries.size()) + " entries; the most that works is " +
                      std::to_string(kMostEntries));
    return entries;
  }
  std::set<std::string_view> seen;
  for (const Entry& entry : node->entries) {
    if (entry.name == "<<") {
      reading.wrong(entry.place, below(path, entry.name),
                    "merge keys are not supported; write the options out, or use an alias for "
                    "the whole value");
    } else if (!seen.insert(entry.name).second) {
      reading.wrong(entry.place, below(path, entry.name), "written twice; keep one of them");
    } else {
      entries.push_back(&entry);
    }
  }
  return entries;
}

std::vector<const Node*> list_items(Reading& reading, const Node* node, const std::string& path,
                                    std::size_t most) {
  if (node == nullptr) return {};
  if (node->kind != Node::Kind::list) {
    std::string text = "expected a list, not " + std::string(kind_name(node->kind));
    if (node->kind == Node::Kind::scalar) text += "; put it into [ ]";
    reading.wrong(node->place, path, std::move(text));
    return {};
  }
  if (node->items.size() > most) {
    reading.wrong(node->place, path,
                  std::to_string(node->items.size()) + " items; the most that works is " +
                      std::to_string(most));
    return {};
  }
  return node->items;
}

void refuse_bad_key(Reading& reading, const Entry& entry, const std::string& path) {
  const auto name = parse_kafka_name({entry.name, entry.place, path});
  if (const auto* refusal = std::get_if<Refusal>(&name)) {
    reading.wrong(entry.place, path, quoted(entry.name) + " " + refusal->text);
  }
}

Section::Section(Reading& reading, const Node* node, std::string path, std::string_view table)
    : reading_(reading), path_(std::move(path)), table_(table) {
  if (node != nullptr) {
    place_ = node->place;
    const auto is_merge = [](const Entry& entry) { return entry.name == "<<"; };
    is_whole_ = (node->kind == Node::Kind::map || node->kind == Node::Kind::null) &&
                std::none_of(node->entries.begin(), node->entries.end(), is_merge);
  }
  entries_ = map_entries(reading_, node, path_);
}

void Section::refuse_unknown_keys() {
  const std::vector<std::string_view> known = option_names(table_);
  for (const Entry* entry : entries_) {
    if (is_in(entry->name, known)) continue;
    reading_.wrong(entry->place, path_of(entry->name),
                   "unknown option; " +
                       suggestion(entry->name, known).value_or("known here: " + either(known)));
  }
}

const Node* Section::find(std::string_view name) const {
  CHECK(is_in(name, option_names(table_)));
  for (const Entry* entry : entries_) {
    if (entry->name == name) return entry->value;
  }
  return nullptr;
}

bool Section::require(std::string_view name, std::string_view advice) {
  if (has(name)) return true;
  if (!is_whole_ || is_misspelt(name)) return false;
  reading_.wrong(place_, path_of(name), "missing; " + std::string(advice));
  return false;
}

// One slip of the hand is one mistake: the key is unknown already, so it is not missing too.
bool Section::is_misspelt(std::string_view name) const {
  const std::vector<std::string_view> known = option_names(table_);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry* entry) {
    return !is_in(entry->name, known) && nearest(entry->name, known) == name;
  });
}

Place Section::place_of(std::string_view name) const {
  const Node* node = find(name);
  return node == nullptr ? place_ : node->place;
}

bool Section::read_duration(std::string_view name, Duration& out, Bounds<Duration> bounds) {
  return read(name, out, [&](const Scalar& s) { return parse_duration(s.text, bounds); });
}

bool Section::read_size(std::string_view name, Bytes& out, Bounds<Bytes> bounds) {
  return read(name, out, [&](const Scalar& s) { return parse_size(s.text, bounds); });
}

bool Section::read_boolean(std::string_view name, bool& out) {
  return read(name, out, [](const Scalar& s) { return parse_boolean(s.text); });
}

bool Section::read_text(std::string_view name, std::string& out) {
  return read(name, out, [](const Scalar& s) { return parse_text(s); });
}

bool Section::read_name(std::string_view name, std::string& out) {
  return read(name, out, [](const Scalar& s) { return parse_kafka_name(s); });
}

}  // namespace einlass::config
