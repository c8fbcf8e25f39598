#include "config/limits/changed_section.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "config/limits/pace.h"
#include "config/limits/parameters.h"
#include "config/tables/tables.h"
#include "config/text/suggest.h"

namespace einlass::config {
namespace {

bool is_in(std::string_view name, const Section::Names& names) {
  return std::ranges::find(names, name) != names.end();
}

// A burst that is not written anew is as many as the limit at most.
void keep_burst_within(Limit& limit) {
  if (auto* log = std::get_if<limits::SlidingLogParameters>(&limit.limit.parameters)) {
    log->burst = std::min(log->burst, log->limit);
  } else if (limit.burst.value > 0) {
    limit.burst = std::min(limit.burst, counted_limit(limit.limit.parameters));
  }
}

}  // namespace

const Node* add_scalar(Document& document, const std::string& text, Position position) {
  Node& node = document.nodes.emplace_back();
  node.kind = Node::Kind::scalar;
  node.position = position;
  node.text = text;
  return &node;
}

ChangedSection::ChangedSection(Reading& reading, const Limit& limit, std::string path,
                               Position position)
    : reading_(reading), limit_(limit), path_(std::move(path)), open_(live_parameters(limit)) {
  root_.kind = Node::Kind::map;
  root_.position = position;
  for (const WrittenOption& one : written(limit)) {
    root_.entries.push_back(
        {position, one.path.back(), add_scalar(document_, one.value, position)});
  }
}

void ChangedSection::write(const Entry& entry) {
  if (!is_in(entry.name, open_)) {
    return reading_.wrong(entry.position, below(path_, entry.name), why_not(entry.name));
  }
  new_burst_ |= entry.name == "burst";
  const auto known = std::ranges::find(root_.entries, entry.name, &Entry::name);
  if (known == root_.entries.end()) return root_.entries.push_back(entry);
  *known = entry;
}

std::optional<LimitValue> ChangedSection::read(int instances) {
  Section section(reading_, &root_, path_, names_in(kLimit));
  Limit changed = limit_;
  if (!read_parameters(section, changed)) return std::nullopt;
  if (!new_burst_) keep_burst_within(changed);
  // As many as the limit itself bounds nothing there, but here it would, and nobody keeps it.
  if (!has_pace(limit_) && pace_of(changed)) {
    reading_.wrong(root_.position, path_,
                   "has a `limit` of more than the limit's own burst of " +
                       std::to_string(changed.burst.value) +
                       ", which nothing keeps, for it is not less than the limit's own `limit`; "
                       "write a smaller burst there, or leave it out there");
    return std::nullopt;
  }
  const auto wrong = wrong_number(changed, instances);
  if (!wrong) return LimitValue{.parameters = changed.limit.parameters, .burst = changed.burst};
  const bool own = is_in(wrong->option, open_);
  reading_.wrong(own ? section.position_of(wrong->option) : root_.position,
                 own ? below(path_, wrong->option) : path_, wrong->text);
  return std::nullopt;
}

std::string ChangedSection::why_not(const std::string& name) const {
  const Section::Names all = parameter_names(limit_.limit.parameters);
  if (name == "algorithm" || is_in(name, all)) {
    return "cannot change while the limit is in use, and is the same for all keys and at all times";
  }
  if (name == "burst" && counted_limit(limit_.limit.parameters).value > 0) {
    return "is kept by another limit, which is there only where the limit itself has a burst of "
           "less than its `limit`; write one there, or leave this out";
  }
  return "is no parameter of this limit; " +
         suggestion(name, open_).value_or("known here: " + either(open_));
}

std::optional<LimitValue> read_changes(Reading& reading, const Entry& entry,
                                       const std::string& path, const Limit& limit) {
  const std::size_t before = reading.mistakes();
  const auto changes = map_entries(reading, entry.value, path);
  if (changes.empty() && reading.mistakes() == before) {
    reading.wrong(entry.position, path, "changes nothing; write a number, or leave it out");
  }
  ChangedSection section(reading, limit, path, entry.value->position);
  for (const Entry* change : changes) section.write(*change);
  auto value = section.read(reading.config.instances);
  return reading.mistakes() == before ? std::move(value) : std::nullopt;
}

Limit as_in_the_file(const Limit& limit) {
  Limit result = limit;
  result.strict = false;
  return result;
}

void print_changes(PrintedPage& page, const Limit& limit, const std::string& name,
                   const LimitValue& value) {
  Limit changed = limit;
  changed.limit.parameters = value.parameters;
  changed.burst = value.burst;
  page.section(name, [&] { print_live(page, changed); });
}

void describe_changes(const std::string& path, std::vector<Option>& all) {
  for (const Row<Limit>& row : kLimit) {
    if (!row.field.is_live || !is_in(row.name, all_parameters())) continue;
    Option& option = all.emplace_back();
    static_cast<OptionTraits&>(option) = row.field;
    option.section = path + ".NAME";
    option.name = row.name;
    option.default_value = "see text";
    option.text = "As at the limit, whose own holds where this is left out.";
  }
}

}  // namespace einlass::config
