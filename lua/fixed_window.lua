-- The fixed window, as src/limits/windows/fixed_window.h describes it: the counter's automaton, with other
-- ends. Parameters: limit, window_us, phase_us (when after 1970 a window begins).
-- Key: as of a counter.

local look = algorithms.counter.look

-- The end of the window that holds `at`.
local function ends(at, place)
  local window = ARGV[place + 1] + 0
  return at + window - (at - ARGV[place + 2]) % window
end

algorithms.fixed_window = {
  parameters = 3,
  look = function(key, cost, place, now)
    return look(key, cost, place, now, ends)
  end,
}
