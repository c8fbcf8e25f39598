-- Gives permits back that were not used. ARGV behind the buckets: now_us ('' = the server's clock),
-- ttl_slack_ms, and the ids of the permits, 16 bytes each.
-- Reply: of how many permits each bucket at least still knew (a token bucket keeps no ids and knows
-- them all).
local looks, kinds = {}, {}
local place = each_bucket(function(i, algorithm, place, cost)
  kinds[i], looks[i] = algorithm, { place, cost }
end)
local now, slack = instant(ARGV[place]), tonumber(ARGV[place + 1])
local ids = {}
for i = place + 2, #ARGV do
  ids[#ids + 1] = ARGV[i]
end
local known = #ids
for i = 1, #kinds do
  local b = kinds[i].look(KEYS[i], looks[i][1], looks[i][2], now, 1)
  known = math.min(known, kinds[i].give_back(b, ids, now, slack))
end
return known
