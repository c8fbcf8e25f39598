-- Asks several buckets at once, all or nothing: src/limits/acquire.h has the contract.
-- ARGV behind the buckets: min, max, horizon_us, the 14 bytes that all permit ids of this ask begin
-- with, memo, now_us ('' = the server's clock), ttl_slack_ms. `memo` is '' or says that KEYS ends with
-- one key more, which remembers what was granted: '0' = a new ask, '1' = an ask that was sent before.
-- Reply: granted, now_us, retry_us (-1 = never, -2 = all were granted), reason (place of the bucket
-- from 0, -1 = all were granted), what remains in each bucket, and each permit's due time in
-- microseconds after now_us.
local last = #ARGV
local min, max, horizon = ARGV[last - 6] + 0, ARGV[last - 5] + 0, ARGV[last - 4] + 0
local prefix, memo = ARGV[last - 3], ARGV[last - 2]
local now, slack = instant(ARGV[last - 1]), ARGV[last] + 0
local remembered = 10000000 -- What was granted so long ago can be told again.

local looks, buckets = {}, memo == '' and #KEYS or #KEYS - 1

local function look()
  local place, ahead = 1, horizon > 0 and max or 1
  for i = 1, buckets do
    local algorithm = algorithms[ARGV[place]]
    looks[i] = algorithm.look(KEYS[i], place + 2, ARGV[place + 1] + 0, now, ahead)
    place = place + 2 + algorithm.parameters
  end
end

local function answer(granted, retry, reason, booked)
  local reply = { granted, now, retry, reason }
  for i = 1, buckets do
    reply[4 + i] = looks[i].remaining(looks[i], now)
  end
  for i = 1, granted do
    reply[4 + buckets + i] = booked[i] - now
  end
  return reply
end

look()
if memo == '1' then
  local known = redis.call('GET', KEYS[buckets + 1])
  if known then
    local asked, at, booked = cmsgpack.unpack(known)
    if asked == prefix and now - at <= remembered then
      return answer(#booked, -2, -1, booked)
    end
  end
end

local unable
for i = 1, buckets do
  if not looks[i].grants_ahead then
    horizon = 0
  end
  if min > looks[i].most then
    unable = unable or i
  end
end

-- One permit after the other, each at the latest of the buckets' earliest instants, until a bucket
-- is too late with the next.
local latest = now + horizon
local booked, granted, at, late = {}, 0, now, unable
while not late and granted < max do
  at = now
  for i = 1, buckets do
    local b = looks[i]
    local earliest = b.reach(b, booked, granted, 1)
    if earliest > at then
      at = earliest
      if at > latest then
        late = late or i
      end
    end
  end
  if not late then
    for i = 1, buckets do
      looks[i].book(looks[i], at)
    end
    granted = granted + 1
    booked[granted] = at
  end
end

local retry = -2
if unable then
  retry = -1
elseif granted < min then
  for i = 1, buckets do
    at = math.max(at, looks[i].reach(looks[i], booked, granted, min - granted))
  end
  retry = at - latest
  if granted > 0 then -- Nothing of what was booked is written: what remains is as it was before.
    granted = 0
    look()
  end
else
  if late then
    retry = at - latest
  end
  for i = 1, buckets do
    looks[i].pay(looks[i], booked, granted, prefix, now, slack)
  end
  if memo ~= '' then
    redis.call('SET', KEYS[buckets + 1], cmsgpack.pack(prefix, now, booked),
      'PX', expiry(now + remembered, now, slack))
  end
end

return answer(granted, retry, (late or 0) - 1, booked)
