-- The front of acquire. Most asks are for one permit of one bucket (`alone`), and making the functions
-- of the algorithms would take as long as deciding. So for some algorithms a file NAME_alone.lua
-- stands here that does in one go what acquire.lua would do with NAME.lua. It deals with what is
-- usual and leaves everything else to them.
local last, algorithm = #ARGV, ARGV[1]
local prefix, memo = ARGV[last - 3], ARGV[last - 2]
local now, slack = ARGV[last - 1], ARGV[last] + 0
local horizon = ARGV[last - 4] + 0
local remembered = 10000000 -- What was granted so long ago can be told again.
local alone = ARGV[last - 5] == '1' and memo ~= '1' and #KEYS == (memo == '' and 1 or 2)
if now ~= '' then
  now = now + 0
else -- Added as numbers: an instant has more digits than Lua would write.
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
if slack < 1 then
  slack = 1
end
