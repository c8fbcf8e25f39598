-- Gives permits back. ARGV behind the buckets: mode, now_us ('' = the server's clock), ttl_slack_ms,
-- and for each permit its id of 16 bytes and the instant for which it was granted. `mode` is 'unused', or
-- 'ended' for permits that were used and whose attempts are over: those go back only to the buckets
-- that count what is under way.
-- Reply: of how many permits each of those buckets at least still knew (a token bucket keeps no ids
-- and knows them all).
local places, place = {}, 1
for i = 1, #KEYS do
  places[i] = place
  place = place + 2 + algorithms[ARGV[place]].parameters
end
local ended = ARGV[place] == 'ended'
local now, slack = instant(ARGV[place + 1]), math.max(1, ARGV[place + 2] + 0)
local ids, instants = {}, {}
for i = place + 3, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
  instants[#instants + 1] = ARGV[i + 1] + 0
end

local all = {}
for i = 1, #KEYS do
  local first = places[i]
  local algorithm = algorithms[ARGV[first]]
  if algorithm.held or not ended then
    all[#all + 1] = algorithm.look(KEYS[i], ARGV[first + 1] + 0, first + 2, now)
  end
end
local known = #ids
for _, b in ipairs(all) do
  local possible = ended or b.cost >= 1 and b.cost <= b.most
  known = math.min(known, possible and b.kind.give_back(b, now, slack, ids, instants) or 0)
end
return known
