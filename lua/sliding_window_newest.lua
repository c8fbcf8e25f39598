-- The sliding window with log: newest, as src/limits/windows/sliding_window_newest.h describes it.
-- Parameters: limit, window_us, slices.
-- Key: a list. The first element is the state as of a sliding window. Behind it each permit of the
-- newest slice: its instant as a double and its id.

local window = algorithms.sliding_window
local sent_at_once = 1000 -- Elements of one RPUSH: Lua can spread only so many arguments.

local function write(b, state, until_then, now, slack)
  if b.state == '' then
    redis.call('RPUSH', b.key, state)
  else
    if not b.newest then
      redis.call('LTRIM', b.key, '0', '0')
    end
    redis.call('LSET', b.key, '0', state)
  end
  redis.call('PEXPIRE', b.key, expiry(until_then, now, slack))
end

local function pay(b, now, slack, _, n, prefix)
  local units = b.units or n * b.cost
  b.taken = b.taken + units
  write(b, window.added(b, units), window.leaves(b, b.at), now, slack)
  local first = struct.pack('>d', b.at) .. prefix
  if n == 1 then
    redis.call('RPUSH', b.key, first .. '\0\0')
    return
  end
  for from = 0, n - 1, sent_at_once do
    local entries = {}
    for i = from, math.min(from + sent_at_once, n) - 1 do
      entries[#entries + 1] = first .. string.char(math.floor(i / 256), i % 256)
    end
    redis.call('RPUSH', b.key, unpack(entries))
  end
end

local newest = {
  parameters = 3, reach = window.reach, pay = pay, remaining = window.remaining,
}

function newest.look(key, cost, place, now)
  local b = window.look(key, cost, place, now, true)
  b.kind = newest
  return b
end

if costs then
  counts_units(newest)
end

if entry == 'release' then
  -- See without() of the sliding window.
  local function forget(b, id, instant, last)
    if not b.newest or redis.call('LREM', b.key, '-1', struct.pack('>d', instant) .. id) == 0 then
      return false, last
    end
    local youngest = redis.call('LINDEX', b.key, '-1')
    return true, #youngest == 24 and struct.unpack('>d', youngest) or last
  end

  function newest.give_back(b, now, slack, ids, instants)
    local known, state, last = window.without(b, ids, instants, forget)
    if known > 0 then
      write(b, state, window.matters(b, last), now, slack)
    end
    return known
  end
end

algorithms.sliding_window_newest = newest
