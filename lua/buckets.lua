-- The front of every script: the table that each algorithm's file enters itself in, and what the
-- entry points share. KEYS holds one key for each bucket; ARGV begins with each bucket's algorithm,
-- cost and parameters, in the order of KEYS, and goes on as the entry point says.
local algorithms = {}

-- The instant of this call in microseconds: the given one, or the server's own clock, which is read
-- once. Added as numbers: an instant has more digits than Lua would write.
local function instant(given)
  if given ~= '' then
    return tonumber(given)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- Milliseconds until `at`, rounded up, and `slack` on top for clocks that differ after a failover.
-- State that nobody could tell from fresh state by then need not live longer.
local function expiry(at, now, slack)
  return math.max(math.ceil((at - now) / 1000), 0) + math.max(slack, 1)
end

-- Calls f(index, algorithm, place of its first parameter, cost) for each bucket; returns the place
-- in ARGV behind the buckets.
local function each_bucket(f)
  local place = 1
  for i = 1, #KEYS do
    local algorithm = algorithms[ARGV[place]]
    f(i, algorithm, place + 2, tonumber(ARGV[place + 1]))
    place = place + 2 + algorithm.parameters
  end
  return place
end
