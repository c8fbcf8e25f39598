-- Asks several buckets at once, all or nothing, of which the flows of a fleet share one: src/limits/fleet/
-- acquire_shared.h and fleet_share.h have the contract.
-- KEYS behind the buckets: the share's, and the memo's if there is a memo.
-- ARGV behind the buckets: place of the shared bucket (from 0), gate (8 bytes), levels, keep, idle_after_us,
-- epoch, wish; for each level time, weights, served and wanted of the gate's flows that are not in the ask;
-- for each flow its id (8 bytes), level (from 0), weight, records, served ('' = it did not wait when the gate
-- was last told); then as for acquire, `min` being 1.
-- Reply: granted, now_us, retry_us (-1 = none), reason (-1 = none), held up (0 = no, 1 = by other gates, 2 = by
-- other flows of the gate), epoch, time of each level, what remains in each bucket, served of each flow, each
-- permit's due time in microseconds after now_us, and the place of its flow in the ask.
-- The share: a hash. The field '' is the state, as write() packs it; each other field is a flow: level and
-- id, and then served, weight and the gates in which it waits.

-- ---- the answer ----

local base = {} -- What `served` counts from: a level's time goes on at the end.
for l = 1, levels do
  base[l] = time[l]
end

local function answer(granted, retry, reason, held_up, booked, flow_of, there)
  local reply = { granted, now, retry, reason, held_up, there and begun or 0 }
  for l = 1, levels do
    reply[#reply + 1] = there and time[l] or 0
  end
  for i = 1, buckets do
    reply[#reply + 1] = all[i].kind.remaining(all[i], now)
  end
  for i = 1, flows do
    reply[#reply + 1] = served[i] + base[level[i]] * weight[i]
  end
  for i = 1, granted do
    reply[#reply + 1] = booked[i] - now
  end
  for i = 1, granted do
    reply[#reply + 1] = flow_of[i] - 1
  end
  return reply
end

if memo == '1' then
  local asked = redis.call('GET', memo_key)
  if asked then
    local by, at, booked, flow_of = cmsgpack.unpack(asked)
    if by == prefix and now - at <= remembered and at - now <= future then
      -- A write, so that a WAIT behind this call waits for what was granted too.
      redis.call('PEXPIRE', memo_key, remembered / 1000 + slack)
      return answer(#booked, -1, -1, 0, booked, flow_of, goes_on)
    end
  end
  -- Places that it was granted and never told of are held by nobody: they must not be in its way.
  local ids, at, found = {}, 1, 0
  for i = 1, max do
    ids[i] = prefix .. string.char(math.floor((i - 1) / 256), (i - 1) % 256)
  end
  for i = 1, buckets do
    local algorithm = algorithms[ARGV[at]]
    if algorithm.held and all[i].count > 0 then
      found = found + all[i].kind.give_back(all[i], now, slack, ids)
    end
    at = at + 2 + algorithm.parameters
  end
  if found > 0 then
    look()
  end
end

local within, reason = horizon, nil
for i = 1, buckets do
  local ahead = all[i].ahead
  if all[i].unwritten then
    all[i].kind.pay(all[i], now, slack)
  end
  if ahead ~= nil and (not ahead or ahead < within) then
    within = ahead or 0
  end
end
for i = 1, buckets do
  local it = all[i]
  if not reason and (it.never or it.cost < 1 or it.cost > it.most or it.kind.ever and not it.kind.ever(it, 1, within)) then
    reason = i
  end
end

local booked, flow_of, n = {}, {}, 0
local wait, held_up, waits_here = -1, 0, not reason

-- When an ask would get a permit for the flow that is next by then, if nobody else asks.
local function retry_after()
  local earliest = now -- By the other buckets.
  for k = 1, buckets do
    local it = all[k]
    if k ~= nth then
      local at = it.kind.soonest and it.kind.soonest(it, booked, n, 1, within) or it.kind.reach(it, booked, n, 1) - within
      earliest = math.max(earliest, at)
    end
  end
  -- Who is next, and what is left for others, changes where a gate is not heard of any more.
  table.sort(others, function(one, other)
    return one.till < other.till
  end)
  for k = 0, #others do
    local at, till = k > 0 and others[k].till or now, k < #others and others[k + 1].till or math.huge
    local could = b.kind.soonest_behind(b, booked, n, left_for_others(next_flow(at), at, true), within)
    if could then
      could = math.max(could, earliest, at)
      if could < till then
        return could - now
      end
    end
  end
  return idle_after
end

while waits_here and n < max do
  local i = next_flow(now)
  if not i then
    break
  end
  local at, late = now, nil
  for k = 1, buckets do
    local it = all[k]
    local earliest = it.kind.reach(it, booked, n, 1)
    if earliest > at then
      at = earliest
      if at > now + within then
        late = k
      end
    end
  end
  if not late then
    local units = left_for_others(i, now, true)
    if units > 0 and b.kind.behind(b, booked, n, units) > now + within then
      late = nth
      local without = left_for_others(i, now, false)
      held_up = b.kind.behind(b, booked, n, without) <= now + within and 2 or 1
    end
  end
  if late then
    reason, wait, waits_here = late, retry_after(), late == nth
    break
  end
  n = n + 1
  for k = 1, buckets do
    local it = all[k]
    if it.kind.book then
      it.kind.book(it, at)
    end
  end
  booked[n], flow_of[n] = at, i
  take(i)
end

-- ---- what is written ----

if n > 0 then
  for i = 1, buckets do
    all[i].kind.pay(all[i], now, slack, booked, n, prefix)
  end
  if memo ~= '' then
    redis.call('SET', memo_key, cmsgpack.pack(prefix, now, booked, flow_of),
      'PX', string.format('%d', remembered / 1000 + slack))
  end
end

-- This gate, as it is remembered.
local given_out = slots
local me = { id = gate, slot = 255, till = now + (wait > 0 and wait or 0) + idle_after }
if own then
  me.slot = own.slot
elseif slots < most_slots then
  me.slot, given_out = slots, slots + 1
end
for l = 1, levels do
  local records = 0
  for i = 1, flows do
    if waits_here and level[i] == l then
      records = records + left[i]
    end
  end
  local units = math.min(math.max(0, wish - n), records) * cost
  local k = 3 * l
  me[k - 2], me[k - 1], me[k] = 0, 0, 0
  if units > 0 then
    me[k - 2], me[k - 1], me[k] = weights[l], sums[l], rest_wanted[l] + units
  elseif rest_wanted[l] > 0 then
    me[k - 2], me[k - 1], me[k] = rest_weights[l], rest_sums[l], rest_wanted[l]
  end
  me.waits = me.waits or me[k] > 0
end

local kept = { me } -- The gates, and whether one of them waits.
local there = me.waits
for _, g in ipairs(gates) do
  if g ~= own then
    kept[#kept + 1] = g
    there = there or g.waits
  end
end
if not there then
  if stored[1] then
    redis.call('UNLINK', share)
  end
  return answer(n, wait, reason and reason - 1 or -1, held_up, booked, flow_of, false)
end

-- The flows, and what they have moved in other gates.
local writes, new = {}, 0
for i = 1, flows do
  local moved, bits = served[i] - before[i], waits_in[i]
  if moved > 0 and bits > 0 then
    for g = 2, #kept do
      if is_in(bits, kept[g].slot) then
        local k = 3 * level[i] - 1
        kept[g][k] = kept[g][k] + moved
      end
    end
  end
  if me.slot < most_slots then
    local waits = waits_here and left[i] > 0
    if waits ~= is_in(bits, me.slot) then
      bits = bits + (waits and 1 or -1) * 2 ^ me.slot
    end
  end
  writes[2 * i + 1] = fields[i + 1]
  writes[2 * i + 2] = struct.pack('>dHI4', served[i] + time[level[i]] * weight[i], weight[i], bits)
  if not stored[i + 1] then
    new = new + 1
  end
end

-- Each level's time goes on to where the flows that wait have come, all together; or as far as any was served, where nobody
-- waits any more.
local state, till = {}, 0
for l = 1, levels do
  local k, w, s, d = 3 * l, 0, 0, 0
  for _, g in ipairs(kept) do
    if g.waits then
      w, s, d = w + g[k - 2], s + g[k - 1], d + g[k]
    end
  end
  local on = w > 0 and math.max(0, math.floor(s / w)) or 0
  if d == 0 and waiting[l] == 0 then
    credit[l] = 0
    for i = 1, flows do
      if level[i] == l then
        on = math.max(on, math.floor(served[i] / weight[i]))
      end
    end
  end
  time[l] = time[l] + on
  state[l] = struct.pack('>dd', time[l], credit[l])
  for _, g in ipairs(kept) do
    g[k - 1] = g[k - 1] - g[k - 2] * on
  end
end
for i, g in ipairs(kept) do
  local packed = { struct.pack('>c8Bd', g.id, g.slot, g.till) }
  for l = 1, levels do
    packed[l + 1] = struct.pack('>ddd', g[3 * l - 2], g[3 * l - 1], g[3 * l])
  end
  state[levels + i] = table.concat(packed)
  if g.waits and g.till > till then
    till = g.till
  end
end
if stored[1] and not goes_on then
  redis.call('UNLINK', share)
end
writes[1], writes[2] = '', struct.pack('>dBB', begun, levels, given_out) .. table.concat(state)
redis.call('HSET', share, unpack(writes))
redis.call('PEXPIRE', share, expiry(till, now, slack))

-- For each flow that is new here two are looked at by lot, whether they may be forgotten. If they are too many all the same,
-- because most come once, all begins anew.
local most_flows = 100000
if new > 0 and goes_on then
  local some = redis.call('HRANDFIELD', share, 2 * new, 'WITHVALUES')
  for i = 1, #some, 2 do
    if some[i] ~= '' then
      local its, by = struct.unpack('>dH', some[i + 1])
      if math.floor(its / by) + long_past * unit * cost <= time[some[i]:byte() + 1] then
        redis.call('HDEL', share, some[i])
      end
    end
  end
  if redis.call('HLEN', share) > most_flows + 1 then -- The state is a field too.
    redis.call('UNLINK', share)
    there = false
  end
end
return answer(n, wait, reason and reason - 1 or -1, held_up, booked, flow_of, there)
