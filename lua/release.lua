-- Gives permits back. ARGV behind the buckets: mode, now_us ('' = the server's clock), ttl_slack_ms,
-- and for each permit its id of 16 bytes and the instant for which it was granted. `mode` is 'unused', or
-- 'ended' for permits that were used and whose attempts are over: those go back only to the buckets
-- that count what is under way.
-- release_shared: KEYS ends with the share's key, and ARGV has behind ttl_slack_ms the place of the shared
-- bucket (from 0), and for each permit the level and id of its flow too.
-- Reply: of how many permits each of those buckets at least still knew (a token bucket keeps no ids
-- and knows all of the last ten seconds).
local places, place, buckets = {}, 1, shared and #KEYS - 1 or #KEYS
for i = 1, buckets do
  places[i] = place
  place = place + 2 + algorithms[ARGV[place]].parameters
end
local ended = ARGV[place] == 'ended'
local now, slack = instant(ARGV[place + 1]), math.max(1, ARGV[place + 2] + 0)
local ids, instants = {}, {}
for i = place + (shared and 4 or 3), #ARGV, shared and 4 or 2 do
  ids[#ids + 1] = ARGV[i]
  instants[#instants + 1] = ARGV[i + 1] + 0
end

local all = {}
for i = 1, buckets do
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

-- The flows have not been served, and those gates have not moved on in which they wait: see acquire_shared.
if shared and not ended then
  local share = KEYS[buckets + 1]
  local units = unit * ARGV[places[ARGV[place + 3] + 1] + 1]
  local state = redis.call('HGET', share, '')
  for i = place + 4, state and #ARGV or 0, 4 do
    local level = ARGV[i + 2] + 0
    local field = string.char(level) .. ARGV[i + 3]
    local entry = redis.call('HGET', share, field)
    if entry then
      local served, weight, bits = struct.unpack('>dHI4', entry)
      local _, levels = struct.unpack('>dB', state)
      local matters = math.floor(served / weight) + long_past * units > struct.unpack('>d', state, 11 + 16 * level)
      if matters then
        redis.call('HSET', share, field, struct.pack('>dHI4', served - units, weight, bits))
      end
      local size = 17 + 24 * levels
      for at = 11 + 16 * levels, matters and #state or 0, size do
        local slot = state:byte(at + 8)
        if slot < 32 and math.floor(bits / 2 ^ slot) % 2 == 1 then
          local sum = at + 17 + 24 * level + 8
          local moved = struct.pack('>d', struct.unpack('>d', state, sum) - units)
          state = state:sub(1, sum - 1) .. moved .. state:sub(sum + 8)
        end
      end
    end
  end
  if state then
    redis.call('HSET', share, '', state)
  end
end
return known
