// Which topics the routes read, named in full or by a pattern, and which they write to there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/config.h"

namespace einlass::config {

// True if it is a Kafka target that writes to the cluster that is read from: both name one of its
// brokers.
bool on_the_same_cluster(const Kafka& kafka, const Target& target);

// The topics that fit some route's pattern but are not read because of it: what a route writes its
// dead letters to, what a Kafka target on the same cluster writes to, and the table of quotas. Only
// a route that names one in full reads it. Sorted, each once.
std::vector<std::string> left_out_of_patterns(const Config& config);

// Whether the route names the topic in full.
bool reads(const Route& route, std::string_view topic);

// Whether some route does, or has a pattern that brings it.
bool is_read(const Config& config, const std::string& topic);

// The index of the route that names the topic in full; -1 if none does.
int reader_of(const std::vector<Route>& routes, std::string_view topic);

}  // namespace einlass::config
