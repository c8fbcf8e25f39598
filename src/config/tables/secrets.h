// Secrets that stand in files of their own: `password_file: PATH` beside `password`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/model/config.h"
#include "config/tables/section.h"

namespace einlass::config {

// What the file named by `node` holds, without one line end at its end; none, with a mistake, if it
// cannot be read, is too long, or has a NUL in it.
std::optional<std::string> read_secret_file(Reading& reading, const Node& node,
                                            const std::string& path);

// Reads the option, NAME or NAME_file. Both is a mistake. `trouble` says what is wrong with what
// was read, in words that do not have it. True if one is there and right.
bool read_secret(Section& section, FileSecret& out,
                 std::string (*trouble)(const std::string&) = nullptr);

// Which values of a map with free keys are secrets: those whose names say so, of headers also those
// whose names allow it, or all.
enum class Secrets : std::uint8_t { by_name, of_headers, all };

// Reads the values of a map with free keys, where a secret may also come as NAME_file.
// `take` gets the entry, its name without "_file", and the value.
void read_free_texts(Section& section, Secrets secrets,
                     const std::function<void(const Entry&, std::string_view, std::string)>& take);

}  // namespace einlass::config
