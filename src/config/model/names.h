// Which texts may be names: of topics and groups, of routes and limits, of HTTP headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/reading.h"
#include "config/text/values.h"

namespace einlass::config {

// Any text of one line; a plain yes, no, on or off is refused, because other readers of the same
// file take it for a truth.
Parsed<std::string> parse_text(const Scalar& scalar);

// Any at all: a plain true or 7 is what stands there.
Parsed<std::string> parse_anything(const Scalar& scalar);

// What Kafka takes for a topic, a group or an instance: 1 to 249 of a-z A-Z 0-9 . _ -
// Our own names (routes, limits, targets) keep to it too: they stand in metrics and Redis keys.
Parsed<std::string> parse_kafka_name(const Scalar& scalar);

// The index of the name among `known`, which are all the limits or targets (`what`) of the file.
Parsed<std::size_t> parse_reference(const Scalar& scalar, std::string_view what,
                                    const std::vector<std::string_view>& known);

// RFC 6901: each part begins with a slash; a tilde is written ~0 and a slash ~1.
bool is_json_pointer(std::string_view text);
Parsed<std::string> parse_json_pointer(const Scalar& scalar);

// A header that the gate or the connection writes itself, as Host or Einlass-Permit.
bool is_reserved_header(std::string_view name);

// A header or a librdkafka property whose value is nobody's business, by its name.
bool is_secret_name(std::string_view name);

// Also one that only may be so, as X-Foo-Key: of a header, or of a value in a URL's query.
bool may_be_secret(std::string_view name);

}  // namespace einlass::config
