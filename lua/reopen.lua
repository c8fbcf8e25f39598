-- Forgets state that is of a later time than now, as after the server's clock was set back. KEYS are the buckets of a limit, and
-- what its flows have had; ARGV is how many milliseconds such a key lives at most where the clock is right. Who calls it has seen
-- the limit closed for as long as that limit ever needs, by a clock of its own, so nothing that it granted still counts. Returns how
-- many were forgotten.
local forgotten = 0
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) > ARGV[1] + 0 then
    forgotten = forgotten + redis.call('UNLINK', key)
  end
end
return forgotten
