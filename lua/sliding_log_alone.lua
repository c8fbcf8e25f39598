-- One permit of one log that holds something, at a cost of 1: its three algorithms. See
-- alone.lua. Not where a mark is to be removed or much is to be purged, nor with a burst.
if alone and ARGV[2] == '1'
  and (algorithm == 'sliding_log' or algorithm == 'concurrency'
    or algorithm == 'sliding_log_spaced' and ARGV[7] == '0') then
  local limit, window = ARGV[3] + 0, ARGV[4] + 0
  local newest = redis.call('ZRANGE', KEYS[1], '-1', '-1', 'WITHSCORES')
  local at = newest[1] and #newest[1] == 16 and newest[2] + 0
  if at and at <= now and limit >= 1 then
    local count = redis.call('ZCARD', KEYS[1])
    local dead = at <= now - window and count
      or redis.call('ZCOUNT', KEYS[1], '-inf', string.format('%d', now - window))
    if dead < 32 then
      local due = now
      if count - limit >= dead then
        local rank = string.format('%d', count - limit)
        due = redis.call('ZRANGE', KEYS[1], rank, rank, 'WITHSCORES')[2] + window
      end
      local ahead = algorithm == 'concurrency' and 0 or horizon
      local left, free = limit - (count - dead), due
      if due > now and algorithm == 'sliding_log_spaced' then
        local rank = string.format('%d', count - ARGV[5])
        due = math.max(due, redis.call('ZRANGE', KEYS[1], rank, rank, 'WITHSCORES')[2] + ARGV[6])
      end
      if due > now + ahead then
        return { 0, now, math.min(free, due - ahead) - now, 0, left > 0 and left or 0 }
      end
      redis.call('ZADD', KEYS[1], string.format('%d', due), prefix .. '\0\0')
      redis.call('PEXPIRE', KEYS[1],
        string.format('%d', math.ceil((due - now + window) / 1000) + slack))
      if memo == '0' then
        redis.call('SET', KEYS[2], cmsgpack.pack(prefix, now, due),
          'PX', string.format('%d', remembered / 1000 + slack))
      end
      return { 1, now, -2, -1, due == now and left - 1 or 0, due - now }
    end
  end
end
