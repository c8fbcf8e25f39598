-- What remains in each bucket, without changing it. ARGV behind the buckets: now_us ('' = the
-- server's clock), ttl_slack_ms. Reply: now_us, and for each bucket the permits (not divided by
-- any cost) that an ask without horizon would be granted.
local now, place = instant(ARGV[#ARGV - 1]), 1
local reply = { now }
for i = 1, #KEYS do
  local algorithm = algorithms[ARGV[place]]
  local b = algorithm.look(KEYS[i], ARGV[place + 1] + 0, place + 2, now)
  reply[1 + i] = b.kind.remaining(b, now)
  place = place + 2 + algorithm.parameters
end
return reply
