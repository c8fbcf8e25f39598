-- The front of every script: where each algorithm's file enters itself, and what the entry points
-- share. KEYS begins with one key for each bucket; ARGV begins with each bucket's algorithm, cost and
-- parameters, in the order of KEYS, and goes on as the entry point says. `x + 0` makes a number of
-- an argument, in a third of the time that tonumber takes.
--
-- algorithms.NAME.parameters says how many parameters a bucket has. algorithms.NAME.look(key, place,
-- cost, now, ahead) looks at one, whose parameters begin at ARGV[place], for an ask that may book
-- `ahead` permits before they are due. What it returns has
--   most                          how many permits of this cost one ask could ever get
--   grants_ahead                  whether permits can be booked before they are due
--   reach(look, booked, n, more)  when `more` permits can be had after the n booked ones
--   book(look, at)                books the next permit
--   pay(look, booked, n, prefix, now, slack)   writes what was booked
--   remaining(look, now)          whole permits that are due at `now`
--   give_back(look, ids, instants, now, slack)  of how many ids it still knew
-- Nothing is written before pay() and give_back(). algorithms.NAME.held says whether an attempt's end
-- gives its permits back.
local algorithms = {}

-- The instant of this call in microseconds: the given one, or the server's own clock, which is read
-- once. Added as numbers: an instant has more digits than Lua would write.
local function instant(given)
  if given ~= '' then
    return given + 0
  end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Milliseconds until `at`, rounded up, and `slack` on top for clocks that differ after a failover.
-- State that nobody could tell from fresh state by then need not live longer.
local function expiry(at, now, slack)
  local left = at - now
  if left < 0 then
    left = 0
  end
  return math.ceil(left / 1000) + math.max(slack, 1)
end

-- The state packed at `key`, or false; an error if something else is there.
local function packed(key, bytes)
  local state = redis.call('GET', key)
  if state and #state ~= bytes then
    error(redis.error_reply('WRONGTYPE ' .. key .. ' holds the state of another algorithm'))
  end
  return state
end
