-- The front of acquire_shared.lua: the state of a share as it is, and which flow is next. See there for KEYS and ARGV.
local whole = 100 -- Of a level's credit: a unit.
local most_time, most_slots, gone = 2 ^ 40, 32, 10000000

local buckets = #KEYS - (memo == '' and 1 or 2)
local share, memo_key = KEYS[buckets + 1], KEYS[buckets + 2]
local max, all, place = ARGV[last - 5] + 0, {}, nil
local nth, b -- The place of the shared bucket, from 1, and it.

local function look()
  place = 1
  for i = 1, buckets do
    local algorithm = algorithms[ARGV[place]]
    all[i] = algorithm.look(KEYS[i], ARGV[place + 1] + 0, place + 2, now)
    place = place + 2 + algorithm.parameters
  end
  nth = ARGV[place] + 1
  b = all[nth]
end
look()

local gate = ARGV[place + 1]
local levels, keep, idle_after = ARGV[place + 2] + 0, ARGV[place + 3] + 0, ARGV[place + 4] + 0
local epoch, wish = ARGV[place + 5] + 0, ARGV[place + 6] + 0
local first_flow = place + 7 + 4 * levels
local flows = (last - 6 - first_flow) / 5
local cost = b.cost

-- ---- the state as it is ----

local begun, slots, own = now, 0, nil
local time, credit, gates = {}, {}, {}

-- Whether the ask goes on from it; else all begins anew. Each gate: id, slot (255 = none), till, and three
-- sums for each level, [3 * level - 2] = weights, served, wanted.
local function read(state)
  if not state then
    return false
  end
  local at, its, waits, furthest
  begun, its, slots, at = struct.unpack('>dBB', state)
  if its ~= levels then
    return false
  end
  for l = 1, levels do
    time[l], credit[l], at = struct.unpack('>dd', state, at)
    furthest = math.max(furthest or 0, time[l])
  end
  while at <= #state do
    local g, wanted = {}, 0
    g.id, g.slot, g.till, at = struct.unpack('>c8Bd', state, at)
    for l = 1, levels do
      g[3 * l - 2], g[3 * l - 1], g[3 * l], at = struct.unpack('>ddd', state, at)
      wanted = wanted + g[3 * l]
    end
    if g.till + gone > now then
      gates[#gates + 1] = g
      g.waits = g.till > now and wanted > 0
      waits = waits or g.waits
      if g.id == gate then
        own = g
      end
    end
  end
  return waits and furthest < most_time and (own or slots < most_slots or #gates >= most_slots)
end

local fields = { '' }
for i = 1, flows do
  local at = first_flow + 5 * (i - 1)
  fields[i + 1] = string.char(ARGV[at + 1]) .. ARGV[at]
end
local stored = redis.call('HMGET', share, unpack(fields))
local goes_on = read(stored[1])
if not goes_on then
  begun, slots, own, gates = now, 0, nil, {}
  for l = 1, levels do
    time[l], credit[l] = 0, 0
  end
end
-- What a gate says of its flows' tags holds while it is remembered: it has heard of them since.
local claims = own and own.till > now and epoch == begun

-- Of the ask's flows, by their places: level from 1, weight, records without a permit, served (counted from
-- the level's time, and as it was at first), and the gates in which each waits.
local level, weight, left, served, before, waits_in = {}, {}, {}, {}, {}, {}
-- Of the gate, by level: weights and served of all that wait, flows of the ask that do, and the rest.
local weights, sums, waiting = {}, {}, {}
local rest_weights, rest_sums, rest_wanted = {}, {}, {}
for l = 1, levels do
  local at = place + 7 + 4 * (l - 1)
  local w = ARGV[at + 1] + 0
  rest_weights[l], rest_wanted[l] = w, ARGV[at + 3] * cost
  rest_sums[l] = claims and ARGV[at + 2] - w * (time[l] - ARGV[at]) or 0
  weights[l], sums[l], waiting[l] = w, rest_sums[l], 0
end
for i = 1, flows do
  local at = first_flow + 5 * (i - 1)
  local l, w = ARGV[at + 1] + 1, ARGV[at + 2] + 0
  local begin = time[l] * w
  local s = claims and ARGV[at + 4] ~= '' and ARGV[at + 4] + 0 or begin
  local entry = goes_on and stored[i + 1]
  waits_in[i] = 0
  if entry then
    local its, by, bits = struct.unpack('>dHI4', entry)
    local tag = math.floor(its / by)
    if tag + long_past * unit * cost > time[l] then
      waits_in[i] = bits
      if by ~= w then
        its = tag * w + math.floor((its - tag * by) * w / by)
      end
      s = its > s and its or s
    end
  end
  s = s - begin
  level[i], weight[i], left[i], served[i], before[i] = l, w, ARGV[at + 3] + 0, s, s
  if left[i] > 0 then
    weights[l], sums[l], waiting[l] = weights[l] + w, sums[l] + s, waiting[l] + 1
  end
end

local function is_in(bits, slot)
  return slot < most_slots and math.floor(bits / 2 ^ slot) % 2 == 1
end

-- What waits at other gates.
local others = {}
for _, g in ipairs(gates) do
  if g.waits and g ~= own then
    local o = { till = g.till, slot = g.slot }
    for k = 1, 3 * levels do
      o[k] = g[k]
    end
    others[#others + 1] = o
  end
end

-- ---- what is granted ----

-- What others might take soon of that level, in units, if no gate is heard of until then.
local function wanted(l, at, of_gate)
  local units = of_gate and rest_wanted[l] or 0
  for _, o in ipairs(others) do
    if o.till > at then
      units = units + o[3 * l]
    end
  end
  return units
end

local function waited_for(l, at)
  return waiting[l] > 0 or wanted(l, at, true) > 0
end

local function top(at)
  local l = 1
  while not waited_for(l, at) do
    l = l + 1
  end
  return l
end

local function due_by_credit(l, at)
  return l > 1 and credit[l] >= whole and l > top(at)
end

-- The flow that is next, if no gate is heard of until then; nil: none waits.
local function next_flow(at)
  local l, its
  for i = 1, levels do
    if waiting[i] > 0 then
      local due = due_by_credit(i, at)
      if not l or due and (not its or credit[i] > credit[l]) then
        l, its = i, due
      end
    end
  end
  if not l then
    return nil
  end
  local own_level = math.floor(sums[l] / weights[l])
  local best, done, least, lowest
  for i = 1, flows do
    if left[i] > 0 and level[i] == l then
      local tag = math.floor(served[i] / weight[i])
      if not lowest or tag < lowest then
        least, lowest = i, tag
      end
      if tag <= own_level then
        local then_done = math.floor((served[i] + unit * cost) / weight[i])
        if not done or then_done < done then
          best, done = i, then_done
        end
      end
    end
  end
  return best or least
end

-- What such flows are short of where others have come to s / w, in thousandths of a unit.
local function short_of(its_weights, its_served, its_wanted, s, w)
  local q = math.floor(s / w)
  local there = its_weights * q + math.floor(its_weights * (s - q * w) / w) - its_served
  return math.max(0, math.min(there, its_wanted * unit))
end

-- How many units the bucket must still have behind a permit of that flow.
local function left_for_others(i, at, of_gate)
  local l, units, short = level[i], 0, 0
  if l > 1 and not due_by_credit(l, at) then
    for above = 1, l - 1 do
      units = units + wanted(above, at, of_gate)
    end
  end
  for below = l + 1, levels do
    units = units + math.min(math.max(0, math.floor(credit[below] / whole)), wanted(below, at, of_gate))
  end
  for _, o in ipairs(others) do
    local k = 3 * l
    if o.till > at and o[k - 2] > 0 then
      short = short + short_of(o[k - 2], o[k - 1], o[k], sums[l], weights[l])
    end
  end
  -- Those of this gate that are not in the ask, where the flow is ahead: with another ask one of them may be next.
  local ahead = math.floor(served[i] / weight[i]) > math.floor(sums[l] / weights[l])
  if of_gate and ahead and rest_weights[l] > 0 then
    short = short + short_of(rest_weights[l], rest_sums[l], rest_wanted[l], served[i], weight[i])
  end
  return units + math.floor(short / unit)
end

local function take(i)
  local l = level[i]
  if levels > 1 then
    local first, due = top(now), due_by_credit(l, now)
    for below = first + 1, levels do
      if waited_for(below, now) then
        credit[below] = credit[below] + keep * cost
      end
    end
    if l ~= first then -- Given what others leave, and not due by what it has earned, it owes nothing.
      local rest = credit[l] - whole * cost
      credit[l] = due and rest or math.max(rest, math.min(credit[l], 0))
    end
  end
  served[i], sums[l], left[i] = served[i] + unit * cost, sums[l] + unit * cost, left[i] - 1
  if waits_in[i] > 0 then
    for _, o in ipairs(others) do
      if is_in(waits_in[i], o.slot) then
        o[3 * l - 1] = o[3 * l - 1] + unit * cost
      end
    end
  end
  if left[i] == 0 then
    weights[l], sums[l], waiting[l] = weights[l] - weight[i], sums[l] - served[i], waiting[l] - 1
  end
end
