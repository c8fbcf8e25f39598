// Renders the server's answers.
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/server/server.h"

namespace einlass::http {

// The answer as bytes, added to `out`. `bodyless`: it answers HEAD. `connection` is the value of
// the header of that name; empty: none.
void write_response(const ServerResponse& response, bool bodyless, std::string_view connection,
                    std::string& out);

// An answer that is only a status.
ServerResponse plain_response(unsigned status);

}  // namespace einlass::http
