-- Exact fractions of a microsecond, as src/limits/rates/exact_instant.h describes them: b.at - b.frac/b.rate,
-- where 0 <= frac < rate; a microsecond brings `rate` units. No sum here reaches 2^53.

local exact = {}

-- The first whole microsecond, and the fraction, `units` later.
function exact.after(b, units)
  local rest = units - b.frac
  local over = rest % b.rate
  return b.at + math.ceil(rest / b.rate), over == 0 and 0 or b.rate - over
end

-- The same, `units` earlier.
function exact.before(b, units)
  local at, over = b.at - math.floor(units / b.rate), units % b.rate
  if over >= b.rate - b.frac then
    return at - 1, over - (b.rate - b.frac)
  end
  return at, over + b.frac
end

exact.scaled = algorithms.scaled
algorithms.exact_instant = exact
