-- What remains in each bucket, without changing it. ARGV behind the buckets: now_us ('' = the
-- server's clock), ttl_slack_ms. Reply: now_us, and for each bucket the permits (not divided by
-- any cost) that an ask without horizon would be granted.
local now = instant(ARGV[#ARGV - 1])
local reply = { now }
each_bucket(function(i, algorithm, place, cost)
  reply[1 + i] = algorithm.remaining(algorithm.look(KEYS[i], place, cost, now, 1), now)
end)
return reply
