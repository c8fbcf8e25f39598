-- The leaky bucket as a queue, as src/limits/leaky_bucket.h describes it.
-- Parameters: rate_permits, rate_micros (reduced), capacity.
-- Key: a string of 'q' and three doubles: at, frac, rate_permits. The next turn is at - frac/permits.

local after, before = algorithms.exact_instant.after, algorithms.exact_instant.before

local function ever(b, n, horizon)
  return b.rate > 0 and n - 1 <= floor(horizon * b.rate / b.need)
end

local function reach(b)
  return b.at
end

local function book(b, at)
  if at > b.at then
    b.at, b.frac = at, 0
  end
  b.at, b.frac = after(b, b.need)
end

local function write(b, now, slack)
  call('SET', b.key, pack('>c1ddd', 'q', b.at, b.frac, b.rate), 'PX', expiry(b.at, now, slack))
end

local function pay(b, _, _, _, now, slack)
  write(b, now, slack)
end

local function remaining(b, now)
  return b.rate > 0 and b.at <= now and 1 or 0
end

-- From the last permit to the first, so that a run of unused turns comes back whole.
local function give_back(b, ids, instants, now, slack)
  local known = 0
  for i = b.rate > 0 and #ids or 0, 1, -1 do
    local at, frac = before(b, b.need)
    if at == instants[i] and at > now then
      b.at, b.frac = at, frac
      known = known + 1
    end
  end
  if known > 0 then
    write(b, now, slack)
  end
  return known
end

local kind = {
  ever = ever, reach = reach, book = book, pay = pay, remaining = remaining, give_back = give_back,
}

local function look(key, cost, place, now)
  local rate, micros, capacity = ARGV[place] + 0, ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local b = {
    kind = kind, key = key, cost = cost, most = capacity,
    ahead = rate > 0 and floor(capacity * micros / rate) or 0,
    rate = rate,
    need = cost * micros, -- Units from one turn to the next.
    at = now, frac = 0, -- When the next turn is.
  }
  local stored = call('GET', key)
  if stored then
    local tag, at, frac, permits
    if #stored == 25 then
      tag, at, frac, permits = unpacked('>c1ddd', stored)
    end
    if tag ~= 'q' then
      foreign(key)
    end
    if at > now then
      b.at = at
      if permits == rate then -- Else the fraction means nothing.
        b.frac = frac
      end
    end
  end
  return b
end

algorithms.leaky_queue = { parameters = 3, look = look }
