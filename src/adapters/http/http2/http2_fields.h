// What of a request HTTP/2 sends in its head.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "adapters/http/client/request_writer.h"

namespace einlass::http {

// What SETTINGS_MAX_HEADER_LIST_SIZE counts of a field besides its name and value.
inline constexpr std::size_t kFieldOverhead = 32;

// Replaces what is in `fields`. They point into `request` and `scheme`; names are as they were
// written (nghttp2 makes them lower case when it copies them). What concerns only one connection is
// left out.
void put_fields(const RequestBytes::Fields& request, std::string_view scheme,
                std::vector<nghttp2_nv>& fields);

}  // namespace einlass::http
