-- The sliding window with log: newest, as src/limits/sliding_window_newest.h describes it.
-- Parameters: limit, window_us, slices.
-- Key: a list. The first element is the state as of a sliding window. Behind it each permit of the
-- newest slice: its instant as a double and its id.

local window = algorithms.sliding_window
local sent_at_once = 1000 -- Elements of one RPUSH: Lua can spread only so many arguments.

local function entry(instant, id)
  return pack('>d', instant) .. id
end

local function write(b, state, until_then, now, slack)
  if b.state == '' then
    call('RPUSH', b.key, state)
  else
    if not b.open then
      call('LTRIM', b.key, 0, 0)
    end
    call('LSET', b.key, 0, state)
  end
  call('PEXPIRE', b.key, expiry(until_then, now, slack))
end

local function pay(b, _, n, prefix, now, slack)
  local units = n * b.cost
  b.taken = b.taken + units
  write(b, window.added(b, units), window.leaves(b, b.at), now, slack)
  local first = pack('>d', b.at) .. prefix
  if n == 1 then
    call('RPUSH', b.key, first .. '\0\0')
    return
  end
  for from = 0, n - 1, sent_at_once do
    local entries = {}
    for i = from, math.min(from + sent_at_once, n) - 1 do
      entries[#entries + 1] = first .. string.char(floor(i / 256), i % 256)
    end
    call('RPUSH', b.key, unpack(entries))
  end
end

-- See without() of the sliding window.
local function forget(b, id, instant, last)
  if not b.open or call('LREM', b.key, -1, entry(instant, id)) == 0 then
    return false, last
  end
  local youngest = call('LINDEX', b.key, -1)
  return true, #youngest == 24 and unpacked('>d', youngest) or last
end

local function give_back(b, ids, instants, now, slack)
  local known, state, newest = window.without(b, ids, instants, forget)
  if known > 0 then
    write(b, state, window.matters(b, newest), now, slack)
  end
  return known
end

local kind = {
  ever = window.kind.ever, reach = window.kind.reach, book = window.kind.book, pay = pay,
  remaining = window.kind.remaining, give_back = give_back,
}

algorithms.sliding_window_newest = {
  parameters = 3,
  look = function(key, cost, place, now)
    local b = window.opened(key, cost, place, now, call('LINDEX', key, 0), true)
    b.kind = kind
    return b
  end,
}
