// limits.NAME.schedule
#include <string>
#include <utility>
#include <vector>

#include "config/limits/changed_section.h"
#include "config/model/week.h"
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

// The spans that read well, whatever their numbers are.
class Spans {
 public:
  explicit Spans(Reading& reading) : reading_(reading) {}

  // None, with the mistakes told, if it is no span, or none of this schedule.
  std::optional<WrittenSpan> take(const Entry& entry, const std::string& path) {
    auto read = parse_week_span(
        entry.name, [&](const std::string& why) { reading_.wrong(entry.position, path, why); });
    if (!read) return std::nullopt;
    if (zone_.empty()) zone_ = read->zone;
    if (read->zone != zone_) {
      reading_.wrong(entry.position, path,
                     "goes by another time zone than " + named(*entries_.front()) +
                         "; all spans of a limit go by one");
      return std::nullopt;
    }
    spans_.push_back(read->span);
    entries_.push_back(&entry);
    paths_.push_back(path);
    return read;
  }

  void refuse_overlaps() {
    for (const Overlap& overlap : overlaps(spans_)) {
      reading_.wrong(entries_[overlap.other]->position, paths_[overlap.other],
                     "overlaps " + named(*entries_[overlap.one]) + " on " + overlap.at +
                         "; at most one span of a limit may hold at any time");
    }
  }

 private:
  std::string named(const Entry& entry) const {
    return in_quotes(entry.name) + " (" + reading_.position_in_words(entry.position) + ")";
  }

  Reading& reading_;
  std::string zone_;
  std::vector<WeekSpan> spans_;
  std::vector<const Entry*> entries_;
  std::vector<std::string> paths_;
};

void read_schedule(Section& section, Limit& limit) {
  // Without its own numbers nothing can be said of others.
  const bool sound = section.sound({"algorithm", "cost", "default_cost", "on_outage"});
  const Limit own = as_in_the_file(limit);
  Spans spans(section.reading());
  for (const Entry* entry : map_entries(section.reading(), section.find(), section.path_of())) {
    const std::string path = below(section.path_of(), entry->name);
    const auto span = spans.take(*entry, path);
    if (!sound) continue;
    auto value = read_changes(section.reading(), *entry, path, own);
    if (!span || !value) continue;
    limit.schedule.push_back({entry->name, span->span, std::move(*value)});
    limit.time_zone = span->zone;
  }
  spans.refuse_overlaps();
}

void print_schedule(PrintedPage& page, const Limit& limit) {
  if (limit.schedule.empty()) return;
  page.section([&] {
    for (const ScheduledValue& one : limit.schedule) {
      print_changes(page, limit, one.name, one.value);
    }
  });
}

}  // namespace

Field<Limit> schedule() {
  Field<Limit> field = custom<Limit>(Kind::sections, "map", read_schedule, print_schedule)
                           .defaults_to("none")
                           .live();
  field.describe = describe_changes;
  return field;
}

}  // namespace einlass::config
