// limits.NAME.overrides
#include <utility>

#include "config/limits/changed_section.h"
#include "config/model/patterns.h"
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

void read_overrides(Section& section, Limit& limit) {
  // Without its own numbers nothing can be said of others.
  if (!section.sound({"algorithm", "cost", "default_cost", "on_outage"})) return;
  const Limit own = as_in_the_file(limit);
  Reading& reading = section.reading();
  for (const Entry* entry : map_entries(reading, section.find(), section.path_of())) {
    const std::string path = below(section.path_of(), entry->name);
    const auto refusal = refuse_pattern(entry->name);
    if (refusal) reading.wrong(entry->position, path, *refusal);
    auto value = read_changes(reading, *entry, path, own);
    if (value && !refusal) limit.overrides.push_back({entry->name, std::move(*value)});
  }
}

void print_overrides(PrintedPage& page, const Limit& limit) {
  if (limit.overrides.empty()) return;
  page.section([&] {
    for (const LimitOverride& one : limit.overrides) {
      print_changes(page, limit, one.key, one.value);
    }
  });
}

}  // namespace

Field<Limit> overrides() {
  Field<Limit> field =
      custom<Limit>(Kind::sections, "map", read_overrides, print_overrides)
          .defaults_to("none")
          .live()
          .only_where([](const Limit& limit) { return limit.key.kind != KeySource::Kind::none; },
                      {"key"},
                      "names keys, but the limit has one bucket for all; write key: header:NAME");
  field.describe = describe_changes;
  return field;
}

}  // namespace einlass::config
