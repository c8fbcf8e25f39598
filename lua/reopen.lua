-- Forgets state that is of a later time than now, as after the server's clock was set back. KEYS are the buckets of a limit, and
-- what its flows have had; ARGV is how many milliseconds such a key lives at most where the clock is right. Who calls it has seen
-- the limit closed for as long as that limit ever needs, by a clock of its own, so nothing that it granted still counts. Returns how
-- many were forgotten.
local seconds, micros = unpack(redis.call('TIME'))
local now = seconds * 1000000 + micros

-- A window that is open keeps its end when the limit gets a shorter one: such a counter is of now.
local function is_open_window(key)
  local stored = redis.pcall('GETRANGE', key, 0, 25)
  if type(stored) ~= 'string' or #stored ~= 25 then
    return false
  end
  local tag, start = struct.unpack('>c1d', stored)
  return tag == 'c' and start <= now
end

local forgotten = 0
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) > ARGV[1] + 0 and not is_open_window(key) then
    forgotten = forgotten + redis.call('UNLINK', key)
  end
end
return forgotten
