-- The counter, as src/limits/counter.h describes it. Parameters: limit, window_us.
-- Key: a string of 'c' and three doubles: start and end of the window, and the units spent in it.

local function ever(b, n)
  return n * b.cost <= b.most
end

local function reach(b, _, _, more)
  return b.count + more * b.cost <= b.most and b.at or b.ends
end

local function book(b)
  b.count = b.count + b.cost
end

local function write(b, now, slack)
  call('SET', b.key, pack('>c1ddd', 'c', b.start, b.ends, b.count),
    'PX', expiry(b.ends, now, slack))
end

local function pay(b, _, _, _, now, slack)
  write(b, now, slack)
end

local function remaining(b, now)
  if b.start > now or b.count > b.most then
    return 0
  end
  return b.most - b.count
end

local function give_back(b, ids, instants, now, slack)
  if not b.open then
    return 0
  end
  local known = 0
  for i = 1, #ids do
    if instants[i] >= b.start then
      known = known + 1
    end
  end
  if known > 0 then
    b.count = math.max(0, b.count - known * b.cost)
    b.ends = b.ended
    write(b, now, slack)
  end
  return known
end

local kind = {
  ever = ever, reach = reach, book = book, pay = pay, remaining = remaining, give_back = give_back,
}

-- `ends` says where a window ends that a permit at this instant would open; an open window ends with
-- the later of its own end and ends(at), if it is there.
local function look(key, cost, place, now, ends)
  local start, ended, count
  local stored = call('GET', key)
  if stored then
    local tag
    if #stored == 25 then
      tag, start, ended, count = unpacked('>c1ddd', stored)
    end
    if tag ~= 'c' then
      foreign(key)
    end
  end
  local at = (start and start > now) and start or now
  local open = start and at < ended
  if not open then
    start, count = at, 0
  end
  local b = {
    kind = kind, key = key, cost = cost, most = ARGV[place] + 0, ahead = false,
    at = at, -- The earliest instant of the next booking.
    start = start, count = count, open = open, ended = ended, ends = ended,
  }
  if ends then
    local aligned = ends(at, place)
    b.ends = (open and ended > aligned) and ended or aligned
  elseif not open then
    b.ends = at + ARGV[place + 1]
  end
  return b
end

algorithms.counter = { parameters = 2, look = look }
