-- How long targets are to be left alone, as the whole fleet knows it. KEYS are their holds; ARGV says
-- for each how many milliseconds it is to last at least, or 0 to look only. A hold never gets
-- shorter. Returns how many milliseconds each has left; less than 1 where there is none.
local left = {}
for i, key in ipairs(KEYS) do
  local wanted = ARGV[i] + 0
  left[i] = redis.call('PTTL', key)
  if wanted > 0 and wanted > left[i] then
    redis.call('SET', key, '1', 'PX', ARGV[i])
    left[i] = wanted
  end
end
return left
