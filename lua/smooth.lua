-- Smooth without warm-up, as src/limits/rates/smooth.h describes it: the token bucket's automaton, booked
-- ahead for at most the timeout.
-- Parameters: rate_permits, rate_micros (reduced), burst, timeout_us, pay (0 = now, 1 = next).
-- Key: as of a token bucket. Where the next one pays, its level may lie below 0.

local look = algorithms.token_bucket.look

algorithms.smooth = {
  parameters = 5,
  look = function(key, cost, place, now)
    local b = look(key, cost, place, now)
    b.ahead = ARGV[place + 3] + 0
    if ARGV[place + 4] == '1' then
      b.owed = b.need
    end
    return b
  end,
}
