// Writing commands in Redis' protocol: an array of byte strings, each with its length before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "limits/fleet/fleet_share.h"
#include "units/id.h"

namespace einlass::redis {

// Each appends to `out`. A command is one array and then as many byte strings as it announced.
void append_array(std::string& out, std::size_t elements);
void append_bulk(std::string& out, std::string_view bytes);
void append_command(std::string& out, std::span<const std::string_view> words);  // A whole one.

// The number in decimal, as a byte string.
void append_number(std::string& out, std::int64_t number);

// What each permit of an ask costs, as acquire wants it, and what stands instead of a bucket's
// cost then.
void append_list(std::string& out, std::span<const Permits> costs);
inline constexpr std::string_view kOfEach = "*";

// What an ask says of the flows that share one of its buckets, the one of that index, as
// acquire_shared wants it, and how many arguments that is.
void append_flows(std::string& out, std::size_t shared, const limits::ShareDemand& of_flows);
std::size_t count_of_flows(const limits::ShareDemand& of_flows);

// Big-endian.
std::string eight_bytes(std::uint64_t value);

// Where the flows of a fleet are remembered that share the bucket of that key.
std::string shared_key(const std::string& bucket_key);

}  // namespace einlass::redis
