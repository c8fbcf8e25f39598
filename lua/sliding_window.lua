-- The sliding window in slices, as src/limits/windows/sliding_window.h describes it.
-- Parameters: limit, window_us, slices.
-- Key: a string of 's' and three doubles: the width of a slice when this was written, the last booked
-- instant, and the units of all slices; then two doubles for each slice, the oldest first: the
-- instant of its last unit, and its units. Slices that do not count any more leave with the next write.

local header, size = 25, 16 -- Bytes before the slices, and of a slice.

-- From when on a slice does not count any more, if its last unit was at `last`.
local function leaves(b, last)
  if b.at_last then
    return last + b.window
  end
  return (math.floor(last / b.width) + b.slices + 1) * b.width
end

local function reach(b, _, n, more)
  local missing = b.taken + (b.units or n * b.cost) + more * b.cost - b.most
  if missing <= 0 then
    return b.at
  end
  for place = b.oldest, #b.state, size do
    local last, count = struct.unpack('>dd', b.state, place)
    if n > 0 and math.floor(last / b.width) == b.current then
      break -- Into this slice goes what this ask has booked.
    end
    missing = missing - count
    if missing <= 0 then
      return leaves(b, last)
    end
  end
  return leaves(b, b.at)
end

-- The state with the booked units in it.
local function added(b, units)
  local state, before = b.state, -1 -- Up to the last slice, or up to the one before.
  if b.newest then
    before, units = -1 - size, units + b.newest
  end
  return struct.pack('>c1ddd', 's', b.width, b.at, b.taken) .. state:sub(b.oldest, before)
    .. struct.pack('>dd', b.at, units)
end

local function pay(b, now, slack, _, n)
  local units = b.units or n * b.cost
  b.taken = b.taken + units
  redis.call('SET', b.key, added(b, units), 'PX', expiry(leaves(b, b.at), now, slack))
end

local function remaining(b, now)
  if b.at > now or b.taken > b.most then
    return 0
  end
  return b.most - b.taken
end

-- Makes the functions that take a state apart and put it together, which few asks need.
local function parts()
  -- The slices as two tables.
  local function spread(b)
    local lasts, counts, n = {}, {}, 0
    for place = b.oldest, #b.state, size do
      n = n + 1
      lasts[n], counts[n] = struct.unpack('>dd', b.state, place)
    end
    return lasts, counts
  end

  local function gathered(b, lasts, counts)
    local slices, taken = {}, 0
    for i = 1, #lasts do
      slices[i] = struct.pack('>dd', lasts[i], counts[i])
      taken = taken + counts[i]
    end
    return struct.pack('>c1ddd', 's', b.width, b.last, taken) .. table.concat(slices)
  end

  -- Slices that were written under another width and lie in the same one now are one.
  local function merged(b)
    local lasts, counts = spread(b)
    local n = 0
    for i = 1, #lasts do
      if n > 0 and math.floor(lasts[n] / b.width) == math.floor(lasts[i] / b.width) then
        lasts[n], counts[n] = lasts[i], counts[n] + counts[i]
      else
        n = n + 1
        lasts[n], counts[n] = lasts[i], counts[i]
      end
    end
    for i = #lasts, n + 1, -1 do
      lasts[i] = nil
    end
    return gathered(b, lasts, counts)
  end

  return merged, spread, gathered
end

-- Takes over what was stored, without the slices that do not count any more.
local function read(b, stored)
  local bytes, tag, width = #stored, nil, nil
  if bytes >= header and (bytes - header) % size == 0 then
    tag, width, b.last, b.taken = struct.unpack('>c1ddd', stored)
  end
  if tag ~= 's' then
    foreign(b.key)
  end
  b.state = stored
  if b.last > b.at then
    b.at = b.last
  end
  if width ~= b.width then
    b.state = parts()(b)
    bytes = #b.state
  end
  b.current = math.floor(b.at / b.width)
  if bytes == header then
    return
  end

  local newest, units = struct.unpack('>dd', b.state, bytes - size + 1)
  if leaves(b, newest) <= b.at then
    b.oldest, b.taken = bytes + 1, 0
    return
  end
  if math.floor(newest / b.width) == b.current then
    b.newest = units
  end
  local last, count = struct.unpack('>dd', b.state, b.oldest)
  while leaves(b, last) <= b.at do
    b.oldest, b.taken = b.oldest + size, b.taken - count
    last, count = struct.unpack('>dd', b.state, b.oldest)
  end
end

local window = {
  parameters = 3, reach = reach, pay = pay, remaining = remaining,
  added = added, leaves = leaves,
}

-- `at_last` says that a slice leaves a window after its last unit, and that the key is a list.
function window.look(key, cost, place, now, at_last)
  local length, slices = ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local b = { -- At most 16 fields, see buckets.lua.
    kind = window, key = key, cost = cost, most = ARGV[place] + 0, ahead = false,
    window = length, slices = slices, width = math.ceil(length / slices), at_last = at_last,
    at = now, -- The earliest instant of the next booking.
    last = -math.huge, -- The last booked instant, also if it was given back.
    state = '', oldest = header + 1, -- Where the slices that count begin.
    taken = 0, -- Their units.
    newest = nil, -- The units of the last of them, if it is the one at `at`, ...
    current = nil, -- ... which has this index.
  }
  local stored
  if at_last then
    stored = redis.call('LINDEX', key, '0')
  else
    stored = redis.call('GET', key)
  end
  if stored then
    read(b, stored)
  end
  return b
end

if costs then
  counts_units(window)
end

if entry == 'release' then
  local _, spread, gathered = parts()

  -- The place of the first slice of that index, if there is one.
  local function find(b, lasts, index)
    local low, high = 1, #lasts + 1
    while low < high do
      local middle = math.floor((low + high) / 2)
      if math.floor(lasts[middle] / b.width) < index then
        low = middle + 1
      else
        high = middle
      end
    end
    return lasts[low] and math.floor(lasts[low] / b.width) == index and low
  end

  -- Takes the permits out of their slices. forget(b, id, instant, last) says whether a permit of the
  -- newest slice was there, and the slice's last instant without it. Returns how many were there, and
  -- the state without them.
  function window.without(b, ids, instants, forget)
    local lasts, counts = spread(b)
    local known = 0
    for i = 1, #ids do
      local index = math.floor(instants[i] / b.width)
      local place = find(b, lasts, index)
      local there = place
      if place and forget and index == b.current then
        there, lasts[place] = forget(b, ids[i], instants[i], lasts[place])
      end
      if there then
        known = known + 1
        counts[place] = counts[place] - b.cost
        if counts[place] <= 0 then
          table.remove(lasts, place)
          table.remove(counts, place)
          if index == b.current then
            b.newest = nil
          end
        end
      end
    end
    return known, known > 0 and gathered(b, lasts, counts), lasts[#lasts]
  end

  -- Until when the window without some permits is not as good as fresh.
  function window.matters(b, newest)
    return newest and math.max(b.last, leaves(b, newest)) or b.last
  end

  function window.give_back(b, now, slack, ids, instants)
    local known, state, newest = window.without(b, ids, instants)
    if known > 0 then
      redis.call('SET', b.key, state, 'PX', expiry(window.matters(b, newest), now, slack))
    end
    return known
  end
end

algorithms.sliding_window = window
