-- Forgets state that is of a later time than now, as after the server's clock was set back. KEYS are the buckets of a limit, and
-- what its flows have had; ARGV is how many milliseconds such a key lives at most where the clock is right. Who calls it has seen
-- the limit closed for as long as that limit ever needs, by a clock of its own, so nothing that it granted still counts. Returns how
-- many were forgotten.
local seconds, micros = unpack(redis.call('TIME'))
local now = seconds * 1000000 + micros

local longest = ARGV[1] + 0
local kept = 12000 -- So many milliseconds an ordinary bucket lives though it is full: token_bucket.lua.

-- A counter says when its window began, and that keeps its end when the limit gets a shorter one. A token bucket says of when it
-- is, however long it lives; it may be booked ahead. All others must show it by how long they live.
local function is_later(key)
  local stored = redis.pcall('GETRANGE', key, 0, 41)
  local size = type(stored) == 'string' and #stored
  local tag, first, second
  if size == 25 or size == 41 then
    tag, first, second = struct.unpack('>c1dd', stored)
  end
  if tag == 't' then
    return second > now + (longest - kept) * 1000
  end
  return redis.call('PTTL', key) > longest and not (tag == 'c' and first <= now)
end

local forgotten = 0
for _, key in ipairs(KEYS) do
  if is_later(key) then
    forgotten = forgotten + redis.call('UNLINK', key)
  end
end
return forgotten
