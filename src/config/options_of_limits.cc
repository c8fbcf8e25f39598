#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kLimit = "limits.NAME";

constexpr Option kOptions[] = {
    {kLimit, "algorithm", "name", "required",
     "What the limit promises. `sliding_log`: never more than `limit` in any `window`; "
     "`sliding_window`: the same, counted in slices; `fixed_window`: at most `limit` in each "
     "window, so up to twice that across an edge; `counter`: the same with windows that open at "
     "the first record; `token_bucket`: `rate` in the long run and at most `burst` at once; "
     "`leaky_bucket`: the same with `mode: meter`, evenly spaced with `mode: queue`; `smooth`: a "
     "token bucket whose waits are at most `timeout`, optionally with a warm-up; `concurrency`: at "
     "most `limit` attempts in flight."},
    {kLimit, "limit", "whole number", "required",
     "Permits in a window, or attempts in flight; with `sliding_log`, `sliding_window`, "
     "`fixed_window`, `counter` and `concurrency`."},
    {kLimit, "window", "duration", "required",
     "The window's length; with `sliding_log`, `sliding_window`, `fixed_window` and `counter`."},
    {kLimit, "align", "epoch or key", "epoch",
     "Where windows begin: at multiples of their length since 1970, or at an offset that differs "
     "from key to key; with `fixed_window`."},
    {kLimit, "slices", "whole number", "10",
     "Number of slices of the window that are counted separately; the partly expired one counts in "
     "full; with `sliding_window`."},
    {kLimit, "log", "none or newest", "none",
     "`newest` keeps the time of each permit in the newest slice, which regains up to one slice of "
     "throughput; with `sliding_window`."},
    {kLimit, "rate", "rate", "required",
     "Permits that come back; with `token_bucket`, `leaky_bucket` and `smooth`. `0/s` denies "
     "everything: records wait, or go to the `dead_letter` topic if there is one."},
    {kLimit, "even", "share", "90%",
     "The part of the window over which permits that must wait are spread, in groups of 5 ms, "
     "instead of all coming at once when the window frees them; 0% to 95%; with `sliding_log`."},
    {kLimit, "burst", "whole number", "see text",
     "The most permits at once; required with `token_bucket` and `smooth`. Optional with "
     "`sliding_log`, `sliding_window`, `fixed_window` and `counter`: at most this many at once, "
     "and the rest evenly spread."},
    {kLimit, "start", "full or empty", "full",
     "How a new bucket starts: full, so that `burst` plus a second's rate pass in its first "
     "second, or empty. A bucket that was not used for an hour is new again; with `token_bucket`."},
    {kLimit, "capacity", "whole number", "required",
     "Size of the bucket: with `mode: meter` the most at once, with `mode: queue` the most that "
     "wait for their turn; with `leaky_bucket`."},
    {kLimit, "mode", "meter or queue", "meter",
     "`meter` lets a burst through and denies what does not fit, `queue` spaces permits evenly; "
     "with `leaky_bucket`."},
    {kLimit, "timeout", "duration", "1s",
     "No permit is promised further ahead than this; with `smooth`."},
    {kLimit, "pay", "now or next", "see text",
     "`now` (default): an expensive record waits for its own cost. `next` (default with "
     "`warm_up`): it leaves at once and the record after it waits, as in Guava; with `smooth`."},
    {kLimit, "warm_up", "duration", "none",
     "How long it takes, after a quiet time, to rise from a third of the rate to all of it; "
     "replaces `burst`; with `smooth`."},
    {kLimit, "lease", "duration", "required",
     "After this time a permit is freed if its gate has died; must be longer than the targets' "
     "`timeout`, `use_within` and `redis.timeout` together; with `concurrency`."},
    {kLimit, "store", "memory or redis", "memory",
     "`redis` is shared by all gates, `memory` is for this process only."},
    {kLimit, "key", "text", "none",
     "One bucket for each value of: `record_key`, `topic`, `partition`, `header:NAME`, "
     "`json:/pointer`; `none` is one bucket for all."},
    {kLimit, "cost", "text", "1",
     "Permits that one delivery attempt takes: a whole number, `header:NAME` or `json:/pointer` "
     "for a number in the record, or `bytes` for the size of its value."},
    {kLimit, "default_cost", "whole number", "see text",
     "Cost of a record whose own cost cannot be read (default 1); only with a cost from the "
     "record."},
    {kLimit, "bad_key", "default or dead_letter", "default",
     "What happens to a record whose key or cost cannot be read: it uses the bucket of the empty "
     "key with `default_cost`, or it goes to the route's dead letter topic."},
    {kLimit, "spread", "true or false", "false",
     "Let a Redis Cluster spread the buckets of different keys over its nodes. All limits of a "
     "route must be spread by the same key, or none."},
    {kLimit, "horizon", "duration", "see text",
     "How far ahead permits may be granted; 0 is plain deny and retry. The default is 500ms, with "
     "`smooth` its `timeout`, and 0 for algorithms that grant nothing ahead."},
    {kLimit, "strict", "true or false", "false",
     "Use a permit within 1ms of its instant or give it back; the window of `sliding_log` and "
     "`sliding_window` is then 1ms longer."},
    {kLimit, "use_within", "duration", "100ms",
     "A permit that is not used this long after its instant is given back and requested again; at "
     "most 4s."},
    {kLimit, "on_outage", "hold, pass or local_share", "hold",
     "What happens while the store does not answer: records wait, pass without this limit, or pass "
     "under this gate's share of it (limit / `instances`)."},
    {kLimit, "shadow", "true or false", "false",
     "Evaluate the limit on live records and count what it would have done, without enforcing it."},
};

}  // namespace

std::span<const Option> options_of_limits() { return kOptions; }

}  // namespace einlass::config
