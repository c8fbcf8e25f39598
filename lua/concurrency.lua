-- Concurrency, as src/limits/windows/concurrency.h describes it: the sliding log with the lease as its
-- window; nothing is granted ahead, and the end of an attempt gives its permits back.
-- Parameters: limit, lease_us.
-- Key: as of a sliding log.

local look = algorithms.sliding_log.look

algorithms.concurrency = {
  parameters = 2, held = true,
  look = function(key, cost, place, now)
    local b = look(key, cost, place, now)
    b.ahead = false
    return b
  end,
}
