-- Asks several buckets at once, all or nothing: src/limits/acquire.h has the contract.
-- ARGV behind the buckets: min, max, horizon_us, the 14 bytes that all permit ids of this ask begin
-- with, now_us ('' = the server's clock), ttl_slack_ms.
-- Reply: granted, now_us, retry_us (-1 = never, -2 = all were granted), reason (place of the bucket
-- from 0, -1 = all were granted), what remains in each bucket, and each permit's due time in
-- microseconds after now_us.
local last = #ARGV
local min, max, horizon = tonumber(ARGV[last - 5]), tonumber(ARGV[last - 4]), tonumber(ARGV[last - 3])
local prefix, now, slack = ARGV[last - 2], instant(ARGV[last - 1]), tonumber(ARGV[last])

local kinds, looks, unable = {}, {}, nil
each_bucket(function(i, algorithm, place, cost)
  kinds[i] = algorithm
  looks[i] = algorithm.look(KEYS[i], place, cost, now, horizon > 0 and max or 1)
  if not algorithm.grants_ahead then
    horizon = 0
  end
  if not unable and not algorithm.ever(looks[i], min) then
    unable = i
  end
end)
local buckets, latest = #kinds, now + horizon

-- The instant of the next permit, and the first bucket that has it only after `latest`.
local function next_permit(booked, granted)
  local at, late = now, nil
  for i = 1, buckets do
    local earliest = kinds[i].reach(looks[i], booked, granted, 1)
    if earliest > at then
      at = earliest
    end
    if earliest > latest and not late then
      late = i
    end
  end
  return at, late
end

local booked, granted, at, late = {}, 0, nil, unable
while not late and granted < max do
  at, late = next_permit(booked, granted)
  if not late then
    for i = 1, buckets do
      kinds[i].book(looks[i], at)
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
    at = math.max(at, kinds[i].reach(looks[i], booked, granted, min - granted))
  end
  retry = at - latest
  if granted > 0 then -- Nothing of what was booked is written: what remains is as it was before.
    granted = 0
    each_bucket(function(i, algorithm, place, cost)
      looks[i] = algorithm.look(KEYS[i], place, cost, now, 1)
    end)
  end
else
  if granted < max then
    retry = at - latest
  end
  for i = 1, buckets do
    kinds[i].pay(looks[i], booked, granted, prefix, now, slack)
  end
end

local reply = { granted, now, retry, (late or 0) - 1 }
for i = 1, buckets do
  reply[4 + i] = kinds[i].remaining(looks[i], now)
end
for i = 1, granted do
  reply[4 + buckets + i] = booked[i] - now
end
return reply
