-- Whether the fleet's table may be written, by what table_write does, and without a trace: nobody reads these keys, and none of
-- them is there afterwards. KEYS: a hash and a stream beside the table's own.
redis.call('HSET', KEYS[1], '', '')
redis.call('HDEL', KEYS[1], '')
return redis.call('XADD', KEYS[2], 'NOMKSTREAM', '*', 'key', '')
