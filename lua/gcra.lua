-- The Generic Cell Rate Algorithm, as src/limits/rates/gcra.h describes it: one value, the theoretical arrival time.
-- Parameters: rate_permits, rate_micros (reduced), burst.
-- Key: a string of 'g' and two doubles, at and rate_micros, where rate_permits is 1; else of 'g' and four: at, frac,
-- rate_permits, rate_micros. The time is at - frac/rate_permits. Of 'h' and these four and mixed_until where
-- permits may come back that were granted under another rate.

local exact = algorithms.exact_instant
local too_old = 10000000 -- limits::kGiveBackWithin

-- From one instant to b.at - b.frac/rate, in units of 1/rate us; what is longer than that is counted as 2^53.
local function units_since(at, b, rate)
  local gap = b.at - at
  return gap > 2 ^ 53 / rate and 2 ^ 53 or gap * rate - b.frac
end

local function reach(b, _, _, more)
  local at = exact.before(b, b.full - more * b.need)
  return at > b.now and at or b.now
end

local function book(b, at)
  if at >= b.at then
    b.at, b.frac = at, 0
  end
  b.at, b.frac = exact.after(b, b.need)
end

local function pay(b, now, slack)
  local state, lasts = nil, b.at
  if b.mixed_until then
    state = struct.pack('>c1ddddd', 'h', b.at, b.frac, b.rate, b.micros, b.mixed_until)
    lasts = math.max(lasts, b.mixed_until)
  elseif b.rate == 1 then
    state = struct.pack('>c1dd', 'g', b.at, b.micros)
  else
    state = struct.pack('>c1dddd', 'g', b.at, b.frac, b.rate, b.micros)
  end
  redis.call('SET', b.key, state, 'PX', expiry(lasts, now, slack))
end

local function remaining(b, now)
  if b.never then
    return 0
  end
  local left = b.at > now and b.full - units_since(now, b, b.rate) or b.full
  return left > 0 and math.floor(left / b.micros) or 0
end

-- spent * to / from, rounded up and at most 2^53.
local function converted(spent, from, to)
  local whole, rest = exact.scaled(spent % from, from, to)
  whole = math.floor(spent / from) * to + whole
  return math.min(2 ^ 53, rest > 0 and whole + 1 or whole)
end

local gcra = { parameters = 3, reach = reach, book = book, pay = pay, remaining = remaining }

function gcra.look(key, cost, place, now)
  local rate, micros, burst = ARGV[place] + 0, ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local stored, at, frac = redis.call('GET', key), now, 0
  local b = {
    kind = gcra, key = key, cost = cost, most = burst, never = rate == 0,
    rate = rate, micros = micros, full = burst * micros, need = cost * micros,
    now = now, at = now, frac = 0, -- Not before `now`.
  }
  if stored then
    local tag, permits, unit, mixed_until
    if #stored == 17 then
      permits, tag, at, unit = 1, struct.unpack('>c1dd', stored)
    elseif #stored == 33 then
      tag, at, frac, permits, unit = struct.unpack('>c1dddd', stored)
    elseif #stored == 41 then
      tag, at, frac, permits, unit, mixed_until = struct.unpack('>c1ddddd', stored)
    end
    if tag ~= (mixed_until and 'h' or 'g') then
      foreign(key)
    end
    if mixed_until and mixed_until > now then
      b.mixed_until = mixed_until
    end
    local other = permits ~= rate or unit ~= micros
    if other and rate > 0 and at + too_old > now then -- None that is out is for a later instant than `at`.
      b.mixed_until = math.max(b.mixed_until or 0, at + too_old)
    end
    if at > now and rate > 0 then
      b.at, b.frac = at, frac
      if other then -- What was spent under another rate.
        local spent = converted(units_since(now, b, permits), unit, micros)
        b.at, b.frac = now, 0
        b.at, b.frac = exact.after(b, spent)
        b.unwritten = true -- Or it would change with each who looks.
      end
    end
  end
  return b
end

if shared then
  function gcra.behind(b, _, _, units)
    local at = exact.after(b, units * b.micros + b.need - b.full)
    return at > b.now and at or b.now
  end

  function gcra.soonest_behind(b, booked, n, units, horizon)
    if units * b.micros + b.need - b.full > horizon * b.rate then
      return nil
    end
    return gcra.behind(b, booked, n, units) - horizon
  end
end

if costs then
  function gcra.next(b, cost)
    b.cost, b.need = cost, cost * b.micros
  end
end

if entry == 'release' then
  -- The most, from the last permit on, that are all since the first of them.
  function gcra.give_back(b, now, slack, ids, instants)
    local sum, credit, known, first = 0, 0, 0, instants[#ids]
    for i = (b.never or b.mixed_until or b.at <= now) and 0 or #ids, 1, -1 do
      sum = sum + b.need
      if sum >= 2 ^ 53 then
        break
      end
      first = math.min(first, instants[i])
      local since = first > b.at and 0 or units_since(first, b, b.rate)
      if since < 2 ^ 53 and since >= sum and since - sum < b.micros then
        credit, known = sum, #ids - i + 1
      end
    end
    if known > 0 then
      b.at, b.frac = exact.before(b, credit)
      pay(b, now, math.max(1, slack))
    end
    return known
  end
end

algorithms.gcra = gcra
