-- The front of every script: where each algorithm's file enters itself, and what the entry points
-- share. KEYS begins with one key for each bucket; ARGV begins with each bucket's algorithm, cost and
-- parameters, in the order of KEYS, and goes on as the entry point says. `x + 0` makes a number of
-- an argument, in a third of the time that tonumber takes.
--
-- algorithms.NAME.parameters says how many parameters a bucket has, and .held whether the end of an
-- attempt gives its permits back. algorithms.NAME.look(key, cost, place, now) looks at a bucket whose
-- parameters begin at ARGV[place]. What it returns has
--   key, cost
--   most     the largest cost of a permit that could ever be granted
--   ahead    how many microseconds before they are due permits can be had; false: not at all
--   kind     the automaton, which may serve several algorithms. It has
--     ever(b, n, horizon)          whether n permits of this cost could ever be granted to one ask
--     reach(b, booked, n, more)    when `more` permits can be had after the n booked ones
--                                  (`more` is 1, or nothing is booked and ever() is true)
--     book(b, at)                  books the next permit
--     pay(b, booked, n, prefix, now, slack)      writes what was booked
--     remaining(b, now)            whole permits that are due at `now`
--     give_back(b, ids, instants, now, slack)    of how many permits it still knew
-- Nothing is written before pay() and give_back().
local algorithms = {}
local call, ceil, floor = redis.call, math.ceil, math.floor
local pack, unpacked = struct.pack, struct.unpack

-- The instant of this call in microseconds: the given one, or the server's own clock, which is read
-- once. Added as numbers: an instant has more digits than Lua would write.
local function instant(given)
  if given ~= '' then
    return given + 0
  end
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Milliseconds until `at`, rounded up, and `slack` on top for clocks that differ after a failover.
-- State that nobody could tell from fresh state by then need not live longer.
local function expiry(at, now, slack)
  local left = ceil((at - now) / 1000)
  if left < 0 then
    left = 0
  end
  return slack > 1 and left + slack or left + 1
end

local function foreign(key)
  error(redis.error_reply('WRONGTYPE ' .. key .. ' holds the state of another algorithm'))
end
