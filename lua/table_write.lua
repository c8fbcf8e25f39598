-- Writes one text of the fleet's table, and that it was written. KEYS: the hash of all texts, the
-- stream of their changes. ARGV: how many changes to remember, about; the key, and its text: without
-- one the key goes. Returns the change's id.
if ARGV[3] then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  return redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[1], '*', 'key', ARGV[2], 'text', ARGV[3])
end
redis.call('HDEL', KEYS[1], ARGV[2])
return redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[1], '*', 'key', ARGV[2])
