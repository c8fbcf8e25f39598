-- Gives permits back that were not used. ARGV behind the buckets: now_us ('' = the server's clock),
-- ttl_slack_ms, and the ids of the permits, 16 bytes each.
-- Reply: of how many permits each bucket at least still knew (a token bucket keeps no ids and knows
-- them all).
local places, place = {}, 1
for i = 1, #KEYS do
  places[i] = place
  place = place + 2 + algorithms[ARGV[place]].parameters
end
local now, slack = instant(ARGV[place]), ARGV[place + 1] + 0
local ids = {}
for i = place + 2, #ARGV do
  ids[#ids + 1] = ARGV[i]
end

local known = #ids
for i = 1, #KEYS do
  local first = places[i]
  local b = algorithms[ARGV[first]].look(KEYS[i], first + 2, ARGV[first + 1] + 0, now, 1)
  known = math.min(known, b.give_back(b, ids, now, slack))
end
return known
