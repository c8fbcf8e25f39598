-- How long targets are to be left alone, as the whole fleet knows it. KEYS are their holds, each with its length in milliseconds
-- ('1', or what is no number: not said); ARGV says for each how many milliseconds it is to last at least, or 0 to look only. A
-- hold never gets shorter, but where it would last longer than its length, as after the server's clock was set back: then it
-- begins anew. The last of ARGV is the channel on which it is said that one has begun, or got so much longer that it matters.
-- Returns how many milliseconds each has left, less than 1 where there is none; and one number more where nothing may be said.
local left, news, slight = {}, false, 50
for i, key in ipairs(KEYS) do
  local wanted = ARGV[i] + 0
  left[i] = redis.call('PTTL', key)
  local length = left[i] > 0 and (tonumber(redis.call('GET', key)) or 1) or 0
  if length > 1 and left[i] > length then
    left[i] = -1
    wanted = math.max(wanted, length)
  end
  if wanted > 0 and wanted > left[i] then
    local digits = string.format('%d', wanted)
    redis.call('SET', key, digits, 'PX', digits)
    news = news or left[i] < 1 or wanted - left[i] > slight
    left[i] = wanted
  end
end
if news then
  local said = redis.pcall('PUBLISH', ARGV[#KEYS + 1], '')
  if type(said) == 'table' then
    left[#KEYS + 1] = 1
  end
end
return left
