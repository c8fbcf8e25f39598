#include "config/tables/section.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/model/names.h"
#include "config/text/suggest.h"
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
    reading.wrong(node->position, path,
                  "expected a section, not " + std::string(kind_name(node->kind)));
    return entries;
  }
  if (node->entries.size() > kMostEntries) {
    reading.wrong(node->position, path,
                  std::to_string(node->entries.size()) + " entries; the most that works is " +
                      std::to_string(kMostEntries));
    return entries;
  }
  std::set<std::string_view> seen;
  for (const Entry& entry : node->entries) {
    if (entry.name == "<<") {
      reading.wrong(entry.position, below(path, entry.name),
                    "merge keys are not supported; write the options out, or use an alias for "
                    "the whole value");
    } else if (!seen.insert(entry.name).second) {
      reading.wrong(entry.position, below(path, entry.name), "written twice; keep one of them");
    } else {
      entries.push_back(&entry);
    }
  }
  return entries;
}

void refuse_bad_key(Reading& reading, const Entry& entry, const std::string& path) {
  const auto name = parse_kafka_name({entry.name, entry.position, path});
  if (const auto* refusal = std::get_if<Refusal>(&name)) {
    reading.wrong(entry.position, path, in_quotes(entry.name) + " " + refusal->text);
  }
}

Section::Section(Reading& reading, const Node* node, std::string path, Names options)
    : reading_(reading), path_(std::move(path)), options_(std::move(options)) {
  if (node != nullptr) {
    position_ = node->position;
    const auto is_merge = [](const Entry& entry) { return entry.name == "<<"; };
    is_whole_ = (node->kind == Node::Kind::map || node->kind == Node::Kind::null) &&
                std::none_of(node->entries.begin(), node->entries.end(), is_merge);
  }
  entries_ = map_entries(reading_, node, path_);
  refuse_unknown_keys();
}

void Section::refuse_unknown_keys() {
  for (const Entry* entry : entries_) {
    if (is_in(entry->name, options_)) continue;
    reading_.wrong(
        entry->position, path_of(entry->name),
        "unknown option; " +
            suggestion(entry->name, options_).value_or("known here: " + either(options_)));
  }
}

const Node* Section::find(std::string_view name) const {
  CHECK(is_in(name, options_));
  for (const Entry* entry : entries_) {
    if (entry->name == name) return entry->value;
  }
  return nullptr;
}

std::string Section::written_as(std::string_view name) const {
  std::string file = std::string(name) + "_file";
  return is_in(file, options_) && has(file) ? file : std::string(name);
}

bool Section::require(std::string_view name, std::string_view advice) {
  if (has(written_as(name))) return true;
  mark_wrong(name);
  if (!is_whole_ || is_misspelt(name)) return false;
  std::string text(advice);
  if (!text.starts_with("write ")) {
    const std::string file = std::string(name) + "_file";
    text = "write " + (is_in(file, options_) ? file : std::string(name)) + ": " + text;
  }
  reading_.wrong(position_, path_of(name), "missing; " + text);
  return false;
}

// One slip of the hand is one mistake: the key is unknown already, so it is not missing too.
bool Section::is_misspelt(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry* entry) {
    return !is_in(entry->name, options_) && nearest(entry->name, options_) == name;
  });
}

void Section::wrong(std::string_view name, const std::string& text) {
  reading_.wrong(position_of(name), path_of(name), text);
  mark_wrong(name);
}

void Section::mark_wrong(std::string_view name) {
  // The table's own name, which lives on.
  wrong_.insert(*std::find(options_.begin(), options_.end(), name));
}

bool Section::sound(const Names& names) const {
  return std::none_of(names.begin(), names.end(),
                      [&](std::string_view name) { return wrong_.contains(name); });
}

Section::Scope::Scope(Section& section, std::string_view name)
    : section_(section),
      before_(std::exchange(section.option_, name)),
      mistakes_(section.reading_.mistakes()) {}

Section::Scope::~Scope() {
  if (section_.reading_.mistakes() != mistakes_) section_.mark_wrong(section_.option_);
  section_.option_ = before_;
}

Section& Section::open(const Node* node, std::string path, Names options) {
  sections_.push_back(
      std::make_unique<Section>(reading_, node, std::move(path), std::move(options)));
  return *sections_.back();
}

Section& Section::opened(std::string_view path) {
  const std::string whole = path_of(path);
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const auto& section) { return section->path_ == whole; });
  CHECK(found != sections_.end());
  return **found;
}

Position Section::position_of(std::string_view name) const {
  const Node* node = find(name);
  return node == nullptr ? position_ : node->position;
}

Position Section::position_of(std::string_view name, std::string_view key) const {
  const Node* const map = find(name);
  if (map == nullptr) return position_;
  const auto found = std::ranges::find_if(map->entries, [&](const Entry& entry) {
    return entry.name == key || entry.name == std::string(key) + "_file";
  });
  return found == map->entries.end() ? map->position : found->value->position;
}

std::vector<const Node*> Section::items(std::size_t most, std::string_view none) {
  const Node* node = find();
  if (node == nullptr) return {};
  std::string trouble;
  if (node->kind != Node::Kind::list) {
    trouble = "expected a list, not " + std::string(kind_name(node->kind));
    if (node->kind == Node::Kind::scalar) trouble += "; put it into [ ]";
  } else if (node->items.size() > most) {
    trouble = std::to_string(node->items.size()) + " items; the most that works is " +
              std::to_string(most);
  } else if (node->items.empty()) {
    trouble = none;
  }
  if (trouble.empty()) return node->items;
  wrong(trouble);
  return {};
}

void Section::read_list(std::size_t most, const std::function<std::string(const Scalar&)>& take,
                        std::string_view none, bool (*is_secret)(std::string_view)) {
  const auto nodes = items(most, none);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool secret = is_secret != nullptr && is_secret(nodes[i]->text);
    const auto item = reading_.scalar(*nodes[i], path_of() + "[" + std::to_string(i) + "]", secret);
    const std::string trouble = item ? take(*item) : "";
    if (!trouble.empty()) reading_.wrong(*item, trouble);
  }
}

}  // namespace einlass::config
