// Secrets that stand in files of their own: `password_file: PATH` beside `password`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/section.h"

namespace einlass::config {

// What the file named by `node` holds, without one line end at its end; none, with a mistake, if it
// cannot be read, is too long, or has a NUL in it.
std::optional<std::string> read_secret_file(Reading& reading, const Node& node,
                                            const std::string& path);

// Reads option NAME or NAME_file. Both is a mistake. True if one is there and right.
bool read_secret(Section& section, std::string_view name, std::string& out);

// The same for one that is read again while the gate runs.
bool read_secret(Section& section, std::string_view name, FileSecret& out);

// The option NAME itself, or NAME_file where that is what is written.
std::string written_as(const Section& section, std::string_view name);

// Which values of a map with free keys are secrets: those whose names say so, of headers also those
// whose names allow it, or all.
enum class Secrets : std::uint8_t { by_name, of_headers, all };

// Reads the values of a map with free keys, where a secret may also come as NAME_file.
// `take` gets the entry, its name without "_file", and the value.
void read_free_texts(Section& section, std::string_view name, Secrets secrets,
                     const std::function<void(const Entry&, std::string_view, std::string)>& take);

}  // namespace einlass::config
