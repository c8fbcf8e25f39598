// Writing commands in Redis' protocol: an array of byte strings, each with its length before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace einlass::redis {

// Each appends to `out`. A command is one array and then as many byte strings as it announced.
void append_array(std::string& out, std::size_t elements);
void append_bulk(std::string& out, std::string_view bytes);

// The number in decimal, as a byte string.
void append_number(std::string& out, std::int64_t number);

}  // namespace einlass::redis
