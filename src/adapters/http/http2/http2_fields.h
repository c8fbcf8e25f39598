// Takes a request that was rendered for HTTP/1.1 apart into the fields that HTTP/2 sends: so a
// request is rendered once, by one writer, whichever protocol the server then chooses.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace einlass::http {

// What SETTINGS_MAX_HEADER_LIST_SIZE counts of a field besides its name and value.
inline constexpr std::size_t kFieldOverhead = 32;

// Replaces what is in `fields`, and returns where the body begins. The fields point into `request`;
// their names are as they were written (nghttp2 makes them lower case when it copies them). What
// concerns only one connection is left out. REQUIRES: a whole request of RequestWriter's.
std::size_t take_apart(std::string_view request, std::string_view scheme,
                       std::vector<nghttp2_nv>& fields);

}  // namespace einlass::http
