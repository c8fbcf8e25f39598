-- One permit of one bucket that was used before: token_bucket, leaky_meter and smooth. See alone.lua.
if alone and (algorithm == 'token_bucket' or algorithm == 'leaky_meter' or algorithm == 'smooth') then
  local cost, rate, micros, burst = ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0
  local stored = redis.call('GET', KEYS[1])
  local tag, level, at, peak, before, unit
  if stored and #stored == 41 then
    tag, level, at, peak, before, unit = struct.unpack('>c1ddddd', stored)
  end
  if tag == 't' and unit == micros and rate > 0 and cost >= 1 and cost <= burst then
    local kept, full, need = 10000000, burst * micros, cost * micros
    if level > full then
      level = full
    end
    local waited = now - at
    if waited > 0 then
      level = waited < (full - level) / rate and level + waited * rate or full
      if waited >= kept then
        peak, before = 0, 0
      elseif math.floor(now / kept) ~= math.floor(at / kept) then
        before, peak = peak, level
      elseif level > peak then
        peak = level
      end
      at = now
    end

    local missing, ahead = need - level, horizon
    if algorithm == 'leaky_meter' then
      ahead = 0
    elseif algorithm == 'smooth' then
      if ARGV[7] == '1' then
        missing = -level
      end
      if ARGV[6] + 0 < ahead then
        ahead = ARGV[6] + 0
      end
    end
    local due = missing > 0 and at + math.ceil(missing / rate) or at
    if due > now + ahead then
      local left = at <= now and level > 0 and math.floor(level / micros) or 0
      return { 0, now, due - now - ahead, 0, left }
    end
    if due == at then
      level = level - need
      local lasts = math.ceil((full - level) / rate)
      redis.call('SET', KEYS[1], struct.pack('>c1ddddd', 't', level, at, peak, before, micros),
        'PX', string.format('%d',
          math.ceil((at - now + (lasts < kept and kept or lasts)) / 1000) + slack))
      if memo == '0' then
        redis.call('SET', KEYS[2], cmsgpack.pack(prefix, now, at),
          'PX', string.format('%d', remembered / 1000 + slack))
      end
      local left = at <= now and level > 0 and math.floor(level / micros) or 0
      return { 1, now, -2, -1, left, at - now }
    end
  end
end
