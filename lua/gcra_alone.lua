-- One permit of one bucket by GCRA, if nothing that was granted under another rate is spent or can come back
-- (limits::kGiveBackWithin). See alone.lua.
if alone and algorithm == 'gcra' then
  local cost, rate, micros, burst = ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0
  local stored = redis.call('GET', KEYS[1])
  local tag, at, frac, permits, unit
  if stored and #stored == 17 then
    tag, at, unit = struct.unpack('>c1dd', stored)
    frac, permits = 0, 1
  elseif stored and #stored == 33 then
    tag, at, frac, permits, unit = struct.unpack('>c1dddd', stored)
  end
  if tag == 'g' and rate > 0 and cost >= 1 and cost <= burst
    and (at + 10000000 <= now or permits == rate and unit == micros) then
    if at <= now then
      at, frac = now, 0
    end
    local full, need = burst * micros, cost * micros
    local due, early = at - math.floor((full - need) / rate), (full - need) % rate
    if early >= rate - frac then
      due = due - 1
    end
    if due < now then
      due = now
    end
    local granted = due <= now + horizon
    if granted then
      if due >= at then
        at, frac = due, 0
      end
      local over = (need - frac) % rate
      at, frac = at + math.ceil((need - frac) / rate), over == 0 and 0 or rate - over
      local state
      if rate == 1 then
        state = struct.pack('>c1dd', 'g', at, micros)
      else
        state = struct.pack('>c1dddd', 'g', at, frac, rate, micros)
      end
      redis.call('SET', KEYS[1], state, 'PX', string.format('%d', math.ceil((at - now) / 1000) + slack))
      if memo == '0' then
        redis.call('SET', KEYS[2], cmsgpack.pack(prefix, now, due),
          'PX', string.format('%d', remembered / 1000 + slack))
      end
    end
    local left = at - now > 2 ^ 53 / rate and -1 or full - ((at - now) * rate - frac)
    left = left > 0 and math.floor(left / micros) or 0
    if granted then
      return { 1, now, -2, -1, left, due - now }
    end
    return { 0, now, due - now - horizon, 0, left }
  end
end
