// The JSON Schema of the configuration, for editors: written from the options table, so that it
// knows exactly its options. What only the whole can say (whether a limit that a route names is
// there, what goes together with what) stays with read_config().
#pragma once

#include <string>

namespace einlass::config {

// config/schema.json: draft 7, which editors know best. Every value may also be a text with a
// variable in it.
std::string json_schema();

}  // namespace einlass::config
