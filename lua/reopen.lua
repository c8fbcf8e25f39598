-- Forgets state that is of a later time than now, as after the server's clock was set back. KEYS are the buckets of a limit, and
-- what its flows have had; ARGV is how many milliseconds such a key lives at most where the clock is right. Who calls it has seen
-- the limit closed for as long as that limit ever needs, by a clock of its own, so nothing that it granted still counts. Returns how
-- many were forgotten, or else minus how many are only open for longer. With 'look' behind it nothing is forgotten: how many would be.
local seconds, micros = unpack(redis.call('TIME'))
local now = seconds * 1000000 + micros

local longest, looks = ARGV[1] + 0, ARGV[2] == 'look'
local kept = 12000 -- So many milliseconds an ordinary bucket lives though it is full: token_bucket.lua.

-- What keeps the limit closed: state that is 'later' than now, or a window that was longer when it was 'open'ed, which keeps its
-- end. A counter says when its window began. A token bucket says of when it is, however long it lives; it may be booked ahead. All
-- others must show it by how long they live.
local function why_closed(key)
  local stored = redis.pcall('GETRANGE', key, 0, 41)
  local size = type(stored) == 'string' and #stored
  local tag, first, second
  if size == 25 or size == 41 then
    tag, first, second = struct.unpack('>c1dd', stored)
  end
  if tag == 't' then
    return second > now + (longest - kept) * 1000 and 'later'
  end
  if redis.call('PTTL', key) > longest then
    return tag == 'c' and first <= now and 'open' or 'later'
  end
end

local later, open = 0, 0
for _, key in ipairs(KEYS) do
  local why = why_closed(key)
  if why == 'later' then
    later = later + (looks and 1 or redis.call('UNLINK', key))
  elseif why == 'open' then
    open = open + 1
  end
end
return later > 0 and later or -open
