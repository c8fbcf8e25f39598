// The names that stand in a configuration, for whoever completes a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/config.h"

namespace einlass::app {

// Which names there are. Topics without those that are only described, by a pattern; of limits with
// a key those that a quota or a pause may name; and all that a quota may name, with `share:SHARE`
// for the weights of a share.
inline const std::vector<std::string> kNameKinds = {
    "routes", "targets", "topics", "dead-letter-topics", "limits", "keyed-limits", "quotas"};

// Each once, in their order. A name has nothing in it that means something to a shell, but for the
// colon, at which bash begins a word: see config::parse_kafka_name(). REQUIRES: `kind` is one of
// kNameKinds.
std::vector<std::string> configured_names(const config::Config& config, std::string_view kind);

}  // namespace einlass::app
