-- The leaky bucket as a queue, as src/limits/rates/leaky_bucket.h describes it.
-- Parameters: rate_permits, rate_micros (reduced), capacity.
-- Key: a string of 'q' and three doubles: at, frac, rate_permits. The next turn is at - frac/permits.

local exact = algorithms.exact_instant

local function ever(b, n, horizon)
  return n - 1 <= math.floor(horizon * b.rate / b.need)
end

local function reach(b)
  return b.at
end

local function book(b, at)
  if at > b.at then
    b.at, b.frac = at, 0
  end
  b.at, b.frac = exact.after(b, b.need)
end

local function pay(b, now, slack)
  redis.call('SET', b.key, struct.pack('>c1ddd', 'q', b.at, b.frac, b.rate), 'PX', expiry(b.at, now, slack))
end

local function remaining(b, now)
  return not b.never and b.at <= now and 1 or 0
end

local queue = {
  parameters = 3, ever = ever, reach = reach, book = book, pay = pay, remaining = remaining
}

function queue.look(key, cost, place, now)
  local rate, micros, capacity = ARGV[place] + 0, ARGV[place + 1] + 0, ARGV[place + 2] + 0
  local stored, at, frac = redis.call('GET', key), now, 0
  if stored then
    local tag, permits
    if #stored == 25 then
      tag, at, frac, permits = struct.unpack('>c1ddd', stored)
    end
    if tag ~= 'q' then
      foreign(key)
    end
    if at <= now then
      at, frac = now, 0
    elseif permits ~= rate then -- The fraction means nothing.
      frac = 0
    end
  end
  return {
    kind = queue, key = key, cost = cost, most = cost <= capacity and math.huge or 0,
    never = rate == 0, ahead = rate > 0 and math.floor(capacity * micros / rate) or 0,
    rate = rate,
    need = cost * micros, -- Units from one turn to the next.
    at = at, frac = frac, -- When the next turn is.
    dearest = costs and capacity, micros = (costs or shared) and micros,
  }
end

if shared then
  function queue.behind(b, _, _, units)
    local at = exact.after(b, units * b.micros)
    return at
  end

  function queue.soonest_behind(b, booked, n, units, horizon)
    if units * b.micros > horizon * b.rate then
      return nil
    end
    return queue.behind(b, booked, n, units) - horizon
  end
end

if costs then
  function queue.next(b, cost)
    b.cost, b.need = cost, cost * b.micros
  end
end

if entry == 'release' then
  -- From the last permit to the first, so that a run of unused turns comes back whole.
  function queue.give_back(b, now, slack, ids, instants)
    local known = 0
    for i = b.never and 0 or #ids, 1, -1 do
      local at, frac = exact.before(b, b.need)
      if at == instants[i] and at > now then
        b.at, b.frac = at, frac
        known = known + 1
      end
    end
    if known > 0 then
      pay(b, now, slack)
    end
    return known
  end
end

algorithms.leaky_queue = queue
