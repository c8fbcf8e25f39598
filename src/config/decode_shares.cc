#include <algorithm>
#include <string>

#include "config/decode.h"
#include "config/names.h"
#include "config/record_sources.h"

namespace einlass::config {
namespace {

constexpr Bounds<std::int64_t> kWeight{1, 1000};
constexpr Bounds<std::int64_t> kKeep{1, 50};
constexpr std::size_t kMostLevels = 8;
constexpr std::int64_t kMostKept = 100;  // By all lower levels together.

class ShareReader {
 public:
  ShareReader(Section& section, Share& share)
      : section_(section), reading_(section.reading()), share_(share) {}

  void read() {
    section_.refuse_unknown_keys();
    section_.read("by", share_.by, parse_key);
    const std::string path = section_.path_of("weight");
    for (const Entry* entry : map_entries(reading_, section_.find("weight"), path)) {
      read_weight(*entry, below(path, entry->name));
    }
    if (!share_.weights.empty() && share_.by.kind == KeySource::Kind::none) {
      reading_.wrong(section_.place_of("weight"), path,
                     "names flows, but without `by` there is but one; write by: header:NAME");
    }
    if (section_.has("levels")) read_levels();
  }

 private:
  void read_weight(const Entry& entry, const std::string& path) {
    const auto scalar = reading_.scalar(*entry.value, path);
    if (!scalar) return;
    const auto weight = parse_whole(scalar->text, kWeight);
    if (const auto* refusal = std::get_if<Refusal>(&weight)) {
      return reading_.wrong(*scalar, refusal->text);
    }
    const auto number = static_cast<std::uint16_t>(std::get<std::int64_t>(weight));
    const std::size_t star = entry.name.find('*');
    if (entry.name == "default") {
      share_.default_weight = number;
    } else if (star != entry.name.npos && star + 1 < entry.name.size()) {
      reading_.wrong(entry.place, path,
                     "has a * before its end; a pattern is the beginning of a name and one *");
    } else {
      share_.weights.emplace_back(entry.name, number);
    }
  }

  void read_levels() {
    Section levels(reading_, section_.find("levels"), section_.path_of("levels"),
                   "shares.NAME.levels");
    levels.refuse_unknown_keys();
    if (levels.require("by", "write by: header:NAME")) {
      levels.read("by", share_.level_by, [](const Scalar& scalar) -> Parsed<KeySource> {
        if (scalar.text == "none") return Refusal{"is no level; write header:NAME or json:/field"};
        return parse_key(scalar);
      });
    }
    if (levels.require("names", "write names: [FIRST, SECOND]")) read_level_names(levels);
    levels.read("keep", share_.keep,
                [](const Scalar& scalar) { return parse_percent(scalar.text, kKeep); });
    const auto lower = static_cast<std::int64_t>(share_.levels.size()) - 1;
    if (lower * share_.keep > kMostKept) {
      reading_.wrong(levels.place_of("keep"), levels.path_of("keep"),
                     "is more than there is: " + std::to_string(lower) + " lower levels keep " +
                         std::to_string(lower * share_.keep) + "% together; 100% is the most");
    }
  }

  void read_level_names(Section& levels) {
    const std::string path = levels.path_of("names");
    const Node* list = levels.find("names");
    const auto items = list_items(reading_, list, path, kMostLevels);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto scalar = reading_.scalar(*items[i], path + "[" + std::to_string(i) + "]");
      if (!scalar) continue;
      const auto name = parse_kafka_name(*scalar);
      if (const auto* refusal = std::get_if<Refusal>(&name)) {
        reading_.wrong(*scalar, refusal->text);
      } else if (std::ranges::find(share_.levels, scalar->text) != share_.levels.end()) {
        reading_.wrong(*scalar, "is written twice; keep one of them");
      } else {
        share_.levels.push_back(scalar->text);
      }
    }
    if (list->kind == Node::Kind::list && items.size() < 2) {
      reading_.wrong(list->place, path, "needs two names at least, the first that goes first");
    }
  }

  Section& section_;
  Reading& reading_;
  Share& share_;
};

}  // namespace

void decode_shares(Section& top, std::vector<Share>& shares) {
  Reading& reading = top.reading();
  for (const Entry* entry : map_entries(reading, top.find("shares"), "shares")) {
    const std::string path = below("shares", entry->name);
    refuse_bad_key(reading, *entry, path);
    Share& share = shares.emplace_back();
    share.name = entry->name;
    Section section(reading, entry->value, path, "shares.NAME");
    ShareReader(section, share).read();
  }
}

// The reason is in the message, for it is the one thing about shares that people get wrong.
void decode_route_share(Section& section, const Config& config, Route& route) {
  std::vector<std::string_view> known;
  for (const Share& share : config.shares) known.push_back(share.name);
  const bool found = section.read("share", route.share, [&](const Scalar& scalar) {
    Parsed<std::optional<std::size_t>> parsed = Refusal{};
    const auto place = parse_reference(scalar, "share", known);
    if (refused(place)) return parsed = std::get<Refusal>(place);
    return parsed = std::optional(std::get<std::size_t>(place));
  });
  if (!found || route.order != Order::partition) return;
  section.reading().wrong(
      section.place_of("share"), section.path_of("share"),
      "divides nothing with order: partition, for there only the first record of each partition "
      "may leave; write order: key or order: none");
}

}  // namespace einlass::config
