-- The leaky bucket as a meter, as src/limits/rates/leaky_bucket.h describes it: the token bucket seen from
-- the other side, and nothing is granted ahead.
-- Parameters: rate_permits, rate_micros (reduced), capacity.
-- Key: as of a token bucket.

local look = algorithms.token_bucket.look

algorithms.leaky_meter = {
  parameters = 3,
  look = function(key, cost, place, now)
    local b = look(key, cost, place, now)
    b.ahead = false
    return b
  end,
}
