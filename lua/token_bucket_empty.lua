-- The token bucket that starts empty: it fills from the first ask on, which is written at once, whatever
-- comes of that ask. It is new again when it has been full for limits::kNewAfter, also where its key is
-- still there: who waits for all that it holds has his turn before.
-- Parameters and key: as of a token bucket.

local look = algorithms.token_bucket.look

algorithms.token_bucket_empty = {
  parameters = 3,
  look = function(key, cost, place, now)
    local b, at, level = look(key, cost, place, now)
    b.kept = 3600000000
    if b.new or now - at - b.kept >= math.ceil((b.full - level) / b.rate) then
      b.level, b.peak, b.before, b.unwritten = 0, 0, 0, not b.never
    end
    return b
  end,
}
