-- What an ask says behind its buckets, and the instant at which it is decided: the front of acquire and
-- acquire_shared.
local last = #ARGV
local prefix, memo = ARGV[last - 3], ARGV[last - 2]
local now, slack = ARGV[last - 1], ARGV[last] + 0
local horizon = ARGV[last - 4] + 0
local remembered = 10000000 -- What was granted so long ago can be told again.
local future = 60000000 -- And not what was granted so far ahead: by a clock that has been set back since.
if now ~= '' then
  now = now + 0
else -- Added as numbers: an instant has more digits than Lua would write.
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
if slack < 1 then
  slack = 1
end
