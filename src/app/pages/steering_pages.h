// /v1/quotas and /v1/pauses: who may look may read, and only who shows a token may write.
//
//   GET    /v1/quotas[?limit=L&after=KEY&most=N]   those that are set, in the order of their keys
//   GET, POST, DELETE /v1/quotas/LIMIT/KEY         POST: {"limit": 500, "for": "2h", "note": ".."}
//                  or /v1/quotas/share:SHARE/FLOW  POST: {"weight": 5, ...}, a flow's weight
//   GET    /v1/pauses                              DELETE: nothing, or {"by": "..", "note": ".."}
//   GET, POST, DELETE /v1/pauses/route/NAME        and target/NAME, topic/NAME, limit/LIMIT/KEY
//
// Names and keys are percent-encoded. POST and DELETE answer when every gate of this table can read
// it: 200 once this one has, 202 where it has not within 2 s.
#pragma once

#include <string_view>

#include "adapters/http/server/server.h"
#include "app/steering/steering.h"
#include "units/time.h"

namespace einlass::app {

// Whether these answer for the path.
bool is_steering_page(std::string_view path);

// `may_write`: a token is demanded, and was shown.
void answer_steering(const http::ServerRequest& request, bool may_write, Steering& steering,
                     Instant now, const http::Server::Respond& respond);

}  // namespace einlass::app
