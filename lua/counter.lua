-- The counter, as src/limits/windows/counter.h describes it. Parameters: limit, window_us.
-- Key: a string of 'c' and three doubles: start and end of the window, and the units spent in it.

-- A denial writes nothing: until something is booked an open window ends when it says.
local function reach(b, _, granted, more)
  if b.count + more * b.cost <= b.most then
    return b.at
  end
  return granted == 0 and b.ended or b.ends
end

local function book(b)
  b.count = b.count + b.cost
end

local function pay(b, now, slack)
  redis.call('SET', b.key, struct.pack('>c1ddd', 'c', b.start, b.ends, b.count),
    'PX', expiry(b.ends, now, slack))
end

local function remaining(b, now)
  if b.start > now or b.count > b.most then
    return 0
  end
  return b.most - b.count
end

local counter = {
  parameters = 2, reach = reach, book = book, pay = pay, remaining = remaining,
}

-- `ends` says where a window ends that a permit at this instant would open; an open window ends with
-- the later of its own end and ends(at), if it is there.
function counter.look(key, cost, place, now, ends)
  local at, start, ended, count = now, now, nil, 0
  local stored = redis.call('GET', key)
  if stored then
    local tag
    if #stored == 25 then
      tag, start, ended, count = struct.unpack('>c1ddd', stored)
    end
    if tag ~= 'c' then
      foreign(key)
    end
    if start > now then
      at = start
    end
    if at >= ended then
      start, ended, count = at, nil, 0
    end
  end
  local until_then
  if ends then
    until_then = ends(at, place)
    if ended and ended > until_then then
      until_then = ended
    end
  end
  return {
    kind = counter, key = key, cost = cost, most = ARGV[place] + 0, ahead = false,
    at = at, -- The earliest instant of the next booking.
    start = start, count = count,
    ended = ended, -- The end of the window as it is, if it is open, ...
    ends = until_then or ended or at + ARGV[place + 1], -- ... and with the next booking.
  }
end

if entry == 'release' then
  function counter.give_back(b, now, slack, ids, instants)
    if not b.ended then
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
      pay(b, now, slack)
    end
    return known
  end
end

algorithms.counter = counter
