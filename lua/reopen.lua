-- Forgets state that is of a later time than now, as after the server's clock was set back. KEYS are the buckets of a limit, and
-- what its flows have had; ARGV is how many milliseconds such a key lives at most where the clock is right. Who calls it has seen
-- the limit closed for as long as that limit ever needs, by a clock of its own, so nothing that it granted still counts. Returns how
-- many were forgotten.
local seconds, micros = unpack(redis.call('TIME'))
local now = seconds * 1000000 + micros

-- What says itself that it is of now, however long it lives: a counter, whose open window keeps its end when the limit gets a
-- shorter one; and a token bucket, which is kept for an hour where it starts empty. Less than a minute later, as what is booked
-- ahead is, closes no limit for too long.
local function is_of_now(key)
  local stored = redis.pcall('GETRANGE', key, 0, 41)
  if type(stored) ~= 'string' or #stored ~= 25 and #stored ~= 41 then
    return false
  end
  local tag, first, second = struct.unpack('>c1dd', stored)
  local since = tag == 'c' and first or tag == 't' and second
  return since and since <= now + 60000000
end

local forgotten = 0
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) > ARGV[1] + 0 and not is_of_now(key) then
    forgotten = forgotten + redis.call('UNLINK', key)
  end
end
return forgotten
