#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kRoute = "routes[]";
constexpr std::string_view kShare = "shares.NAME";

constexpr Option kOptions[] = {
    {kRoute, "name", "name", "required", "The route's name in metrics, logs and dead letters."},
    {kRoute, "topics", "list of topics", "required",
     "Topics to read; each belongs to one route only. A name that begins with ^ is a pattern."},
    {kRoute, "target", "name", "required", "Where records are delivered."},
    {kRoute, "limits", "list of names", "none",
     "Limits to apply, all or nothing. When several deny, the first in this list is reported as "
     "the reason. All must use the same store."},
    {kRoute, "order", "partition, key or none", "partition",
     "Which records are delivered one after the other: those of a partition, those of a key in it, "
     "or none."},
    {kRoute, "share", "name", "none",
     "The share by which this route's records divide their limits, in one gate; with `order` key "
     "or none."},
    {kRoute, "retry", "section", "", "When a failed attempt is retried."},
    {kRoute, "dead_letter", "topic", "none",
     "Topic for refused records; without it they are retried forever, and the records behind them "
     "wait."},
    {kRoute, "inside", "section", "", "The most that may be in the gate for each partition."},

    {"routes[].retry", "initial", "duration", "200ms",
     "Upper bound of the first delay; it doubles with each attempt. Default: the target's."},
    {"routes[].retry", "max", "duration", "30s",
     "Upper bound of the delay. Default: the target's."},
    {"routes[].retry", "attempts", "whole number", "0",
     "Attempts before a record becomes a dead letter; 0 = unlimited."},

    {"routes[].inside", "records", "whole number", "1000",
     "Records of one partition. With `order: key` or `none` at most about 3,400 are used, because "
     "the metadata of a commit cannot describe more that finished out of order."},
    {"routes[].inside", "bytes", "size", "16MiB", "Memory that the records of one partition use."},

    {kShare, "by", "key", "none",
     "What of a record names its flow: `record_key`, `topic`, `partition`, `header:NAME` or "
     "`json:/pointer`. Left out: one flow for all. Records without the value are one flow too."},
    {kShare, "weight", "map", "see text",
     "Weights of the flows, 1 to 1000: a name, `NAME*` for names that begin with NAME (the longest "
     "match wins), or `default` (1 if left out)."},
    {kShare, "levels", "section", "", "Which records go before others, whatever their flow."},

    {"shares.NAME.levels", "by", "key", "required", "What of a record names its level, as above."},
    {"shares.NAME.levels", "names", "list of names", "required",
     "2 to 8 levels, highest first; records that name none of them get the last."},
    {"shares.NAME.levels", "keep", "share", "5%",
     "The part of all permits that each level but the first gets while it has records that could "
     "leave."},
};

}  // namespace

std::span<const Option> options_of_routes() { return kOptions; }

}  // namespace einlass::config
