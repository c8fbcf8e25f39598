-- One permit of one open window: counter and fixed_window. See alone.lua.
if alone and (algorithm == 'counter' or algorithm == 'fixed_window') then
  local cost, limit = ARGV[2] + 0, ARGV[3] + 0
  local stored = redis.call('GET', KEYS[1])
  local tag, start, ends, count
  if stored and #stored == 25 then
    tag, start, ends, count = struct.unpack('>c1ddd', stored)
  end
  if tag == 'c' and start <= now and now < ends and cost >= 1 and cost <= limit then
    if count + cost > limit then
      return { 0, now, ends - now, 0, count < limit and limit - count or 0 }
    end
    if algorithm == 'fixed_window' then
      local window = ARGV[4] + 0
      local aligned = now + window - (now - ARGV[5]) % window
      if aligned > ends then
        ends = aligned
      end
    end
    count = count + cost
    redis.call('SET', KEYS[1], struct.pack('>c1ddd', 'c', start, ends, count),
      'PX', string.format('%d', math.ceil((ends - now) / 1000) + slack))
    if memo == '0' then
      redis.call('SET', KEYS[2], cmsgpack.pack(prefix, now, now),
        'PX', string.format('%d', remembered / 1000 + slack))
    end
    return { 1, now, -2, -1, limit - count, 0 }
  end
end
