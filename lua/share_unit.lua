-- What acquire_shared and release_shared both count by.
local unit = 1000 -- Of a bucket, as `served` counts it.
local long_past = 4 -- Permits: a flow so far behind its level is as good as unknown.
