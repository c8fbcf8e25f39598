// shares.NAME: which of a route's records compete as one, and with which weight and level.
#include <algorithm>

#include "config/model/patterns.h"
#include "config/options/share_weights.h"
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

constexpr Bounds<std::int64_t> kWeight{1, 1000};
constexpr std::int64_t kMostKept = 100;  // By all lower levels together.

void read_weight(Reading& reading, const Entry& entry, const std::string& path, Share& share) {
  const auto scalar = reading.scalar(*entry.value, path);
  if (!scalar) return;
  const auto weight = parse_weight(scalar->text);
  if (const auto* refusal = std::get_if<Refusal>(&weight)) {
    return reading.wrong(*scalar, refusal->text);
  }
  const auto number = std::get<std::uint16_t>(weight);
  if (entry.name == kDefaultWeight) {
    share.default_weight = number;
  } else if (const auto refusal = refuse_pattern(entry.name)) {
    reading.wrong(entry.position, path, *refusal);
  } else {
    share.weights.emplace_back(entry.name, number);
  }
}

void read_weights(Section& section, Share& share) {
  const std::string path = section.path_of();
  for (const Entry* entry : map_entries(section.reading(), section.find(), path)) {
    read_weight(section.reading(), *entry, below(path, entry->name), share);
  }
  if (share.weights.empty() || share.by.kind != KeySource::Kind::none) return;
  section.wrong("names flows, but without `by` there is but one; write by: header:NAME");
}

void print_weights(PrintedPage& page, const Share& share) {
  page.section([&] {
    page.free_text(kDefaultWeight, std::to_string(share.default_weight));
    for (const auto& [flow, weight] : share.weights) page.free_text(flow, std::to_string(weight));
  });
}

Parsed<KeySource> parse_level(const Scalar& scalar) {
  if (scalar.text == "none") return Refusal{"is no level; write header:NAME or json:/field"};
  return parse_key(scalar);
}

std::string take_level(Section&, const Scalar& item, Levels& levels) {
  const auto parsed = parse_kafka_name(item);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return refusal->text;
  const bool twice = std::ranges::find(levels.names, item.text) != levels.names.end();
  if (twice) return "is written twice; keep one of them";
  levels.names.push_back(item.text);
  return "";
}

void check_levels(Section& section, Levels& levels) {
  if (section.has("names") && section.sound({"names"}) && levels.names.size() < 2) {
    section.wrong("names", "needs two names at least, the first that goes first");
  }
  const auto lower = static_cast<std::int64_t>(levels.names.size()) - 1;
  if (lower * levels.keep <= kMostKept) return;
  section.wrong("keep", "is more than there is: " + std::to_string(lower) + " lower levels keep " +
                            std::to_string(lower * levels.keep) + "% together; 100% is the most");
}

const Rows<Levels> kLevels = {
    {"by", key(&Levels::by, parse_level).required("header:NAME"),
     "What of a record names its level, as above."},
    {"names", list("list of names", &Levels::names, 8, take_level).required("[FIRST, SECOND]"),
     "2 to 8 levels, highest first; records that name none of them get the last."},
    {"keep", percent(&Levels::keep, 1, 50),
     "The part of all permits that each level but the first gets while it has records that could "
     "leave."},
};

}  // namespace

Parsed<std::uint16_t> parse_weight(std::string_view text) {
  const auto weight = parse_whole(text, kWeight);
  if (const auto* refusal = std::get_if<Refusal>(&weight)) return *refusal;
  return static_cast<std::uint16_t>(std::get<std::int64_t>(weight));
}

const Rows<Share> kShare = {
    {"by", key(&Share::by),
     "What of a record names its flow: `record_key`, `topic`, `partition`, `header:NAME` or "
     "`json:/pointer`. Left out: one flow for all. Records without the value are one flow too."},
    {"weight",
     custom<Share>(Kind::map, "map", read_weights, print_weights).defaults_to("see text").live(),
     "Weights of the flows, 1 to 1000: a name, `NAME*` for names that begin with NAME (the longest "
     "match wins), or `default` (1 if left out)."},
    {"levels", section(&Share::levels, kLevels, check_levels),
     "Which records go before others, whatever their flow."},
};

}  // namespace einlass::config
