#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kRoute = "routes[]";
constexpr std::string_view kShare = "shares.NAME";

constexpr Option kOptions[] = {
    {kRoute, "name", "name", "required", "The route's name in metrics, logs and dead letters."},
    {kRoute, "topics", "list of topics", "required",
     "What is read; a topic is in one route only. One that begins with ^ is a pattern of names."},
    {kRoute, "target", "name", "required", "Where records are delivered."},
    {kRoute, "limits", "list of names", "none",
     "The limits that hold, all or nothing, in this order of blame; all in one store."},
    {kRoute, "order", "partition, key or none", "partition",
     "Which records leave one after the other: those of a partition, or of a key in it, or none."},
    {kRoute, "share", "name", "none",
     "The share by which flows of its records divide what they compete for, in one gate; with "
     "`order` key or none."},
    {kRoute, "retry", "section", "", "When a failed attempt is made again."},
    {kRoute, "dead_letter", "topic", "none",
     "Where a refused record goes; without it, it is tried again for ever."},
    {kRoute, "inside", "section", "", "The most that may be in the gate, per partition."},

    {"routes[].retry", "initial", "duration", "200ms",
     "The longest first wait; then it doubles. Without it that of the target holds."},
    {"routes[].retry", "max", "duration", "30s",
     "The longest wait. Without it that of the target holds."},
    {"routes[].retry", "attempts", "whole number", "0",
     "Attempts before a record is a dead letter; 0 is for ever."},

    {"routes[].inside", "records", "whole number", "1000",
     "Records of one partition. With `order: key` or `none` more than some 3,400 are not reached: "
     "a commit could not name what finishes out of order among more."},
    {"routes[].inside", "bytes", "size", "16MiB", "Memory that the records of one partition take."},

    {kShare, "by", "key", "none",
     "What of a record says which flow it is of: `record_key`, `topic`, `partition`, `header:NAME` "
     "or `json:/pointer`; none is one flow for all, as is no value."},
    {kShare, "weight", "map", "see text",
     "Flows and their weights, 1 to 1000: a name, `NAME*` for names that begin so (the longest "
     "holds), or `default`, which is 1 if it is not written."},
    {kShare, "levels", "section", "", "Which records go before others, whatever their flow."},

    {"shares.NAME.levels", "by", "key", "required", "What of a record says its level, as above."},
    {"shares.NAME.levels", "names", "list of names", "required",
     "2 to 8 levels, the first goes first; what names none of them has the last."},
    {"shares.NAME.levels", "keep", "share", "5%",
     "What each level but the first has of all permits while it has records that could leave."},
};

}  // namespace

std::span<const Option> options_of_routes() { return kOptions; }

}  // namespace einlass::config
