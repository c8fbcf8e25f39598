-- The front of every script (but acquire and acquire_shared have ask.lua before it): where each algorithm's file enters itself, and what
-- the entry points share. KEYS begins with one key for each bucket; ARGV begins with each bucket's algorithm, cost and
-- parameters, in the order of KEYS, and goes on as the entry point says.
--
-- algorithms.NAME.parameters says how many parameters a bucket has, and .held whether the end of an
-- attempt gives its permits back. algorithms.NAME.look(key, cost, place, now) looks at a bucket whose
-- parameters begin at ARGV[place]. What it returns has
--   key, cost
--   most     no ask gets more units; and no permit, if it costs more
--   never    nothing is ever granted
--   ahead    how many microseconds before they are due permits can be had; nil: any time; false: not
--            at all
--   kind     the automaton, which may serve several algorithms:
--     ever(b, n, horizon)          whether one ask could ever get n permits; nil: all that `most` allows
--     reach(b, booked, n, more)    when `more` permits can be had after the n booked ones
--                                  (`more` is 1, or nothing is booked and ever() is true)
--     soonest(b, booked, n, more, horizon)       where that depends on when one asks: when an ask
--                                  would get them; nil: as reach() says
--     book(b, at)                  books the next permit; nil: there is nothing to do
--     pay(b, now, slack, booked, n, prefix)      writes what was booked
--     remaining(b, now)            whole permits that are due at `now`
--     give_back(b, now, slack, ids, instants)    of how many permits it still knew
--     next(b, cost, n)             only where there are `costs`: what the permit behind the n booked ones
--                                  takes; nil: it is enough to write it into b.cost
--     behind(b, booked, n, units)  only in acquire_shared, of those that a fleet's flows may share: when the
--                                  next permit can be had if others take so many units before it
--     soonest_behind(b, booked, n, units, horizon)   and when an ask would get it; nil: never by waiting
--   unwritten  what was found is written by every ask but a repeated one, whatever comes of it; pay() does it
--   dearest  only where there are `costs`: no permit costs more; nil: what `most` says
-- Nothing is written before pay() and give_back().
--
-- A server makes every function, table and captured local of a script anew in each call, which costs
-- more than the arithmetic does. So there are few of them, what only release needs is made for it
-- alone, and `x + 0` makes a number of an argument, in a third of the time that tonumber takes. A table
-- of more than 16 fields costs half as much again. Where it matters string.format makes the digits of a
-- number for a command: redis.call takes twice as long for that.
local algorithms = {}
local entry = '@ENTRY@' -- The script that this is: acquire, release or peek.
local shared = '@SHARED@' == 'true' -- Whether flows share a bucket: acquire_shared.

-- What each permit of this ask costs, where that differs: `max` is a list then.
local costs
if entry == 'acquire' and ARGV[#ARGV - 5]:find(',', 1, true) then
  costs = {}
  for cost in ARGV[#ARGV - 5]:gmatch('[^,]+') do
    costs[#costs + 1] = cost + 0
  end
end

local counts_units
if costs then
  -- Of an automaton whose permits differ in cost: b.units has what it has booked.
  function counts_units(kind)
    function kind.next(b, cost)
      b.cost, b.units = cost, b.units or 0
    end
    function kind.book(b)
      b.units = b.units and b.units + b.cost
    end
  end
end

-- The digits of the milliseconds until `at`, rounded up, and `slack` on top for clocks that differ
-- after a failover. State that nobody could tell from fresh state by then need not live longer.
local function expiry(at, now, slack)
  return string.format('%d', at > now and math.ceil((at - now) / 1000) + slack or slack)
end

-- Whether permits may go back: in a release, and in an ask that was sent before.
local returns = entry == 'release' or entry == 'acquire' and ARGV[#ARGV - 2] == '1'

local function foreign(key)
  redis.call('HLEN', key) -- No state is a hash, so every Redis raises a WRONGTYPE of its own.
end

local instant
if entry ~= 'acquire' then
  -- The instant of this call in microseconds: the given one, or the server's own clock, which is read
  -- once. Added as numbers: an instant has more digits than Lua would write.
  function instant(given)
    if given ~= '' then
      return given + 0
    end
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
  end
end
