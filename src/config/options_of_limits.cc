#include "config/option_parts.h"

namespace einlass::config {
namespace {

constexpr std::string_view kLimit = "limits.NAME";

constexpr Option kOptions[] = {
    {kLimit, "algorithm", "name", "required",
     "What the limit promises: `sliding_log` never more than `limit` in any `window`; "
     "`sliding_window` the same from counts of slices; `fixed_window` at most `limit` in each "
     "window, so up to twice that across an edge; `counter` the same with windows that open at the "
     "first record; `token_bucket` `rate` on the long run and at most `burst` at once; "
     "`leaky_bucket` the same with `mode: meter`, evenly spaced with `mode: queue`; `smooth` a "
     "token bucket whose waits are at most `timeout`, with a warm-up if wanted; `concurrency` at "
     "most `limit` attempts under way."},
    {kLimit, "limit", "whole number", "required",
     "Permits in a window, or attempts under way; with `sliding_log`, `sliding_window`, "
     "`fixed_window`, `counter` and `concurrency`."},
    {kLimit, "window", "duration", "required",
     "The window's length; with `sliding_log`, `sliding_window`, `fixed_window` and `counter`."},
    {kLimit, "align", "epoch or key", "epoch",
     "Where windows begin: at multiples of their length since 1970, or at an offset that differs "
     "from key to key; with `fixed_window`."},
    {kLimit, "slices", "whole number", "10",
     "How many parts of the window are counted apart; the partly expired one counts in full; with "
     "`sliding_window`."},
    {kLimit, "log", "none or newest", "none",
     "`newest` keeps the times of the newest slice, and so gives back up to one slice of "
     "throughput; with `sliding_window`."},
    {kLimit, "rate", "rate", "required",
     "Permits that come back; with `token_bucket`, `leaky_bucket` and `smooth`. `0/s` denies "
     "everything: records wait, or with a `dead_letter` topic go there."},
    {kLimit, "even", "share", "90%",
     "The part of the window over which permits that must wait are spread, in groups of 5 ms, "
     "instead of coming all at once as their window frees them; 0% to 95%; with `sliding_log`."},
    {kLimit, "burst", "whole number", "see text",
     "The most permits that are there at once; required with `token_bucket` and `smooth`. With "
     "`sliding_log`, `sliding_window`, `fixed_window` and `counter`, if it is given: at most so "
     "many "
     "at once, and the rest evenly."},
    {kLimit, "start", "full or empty", "full",
     "How a new bucket starts: full, so that `burst` and a second's rate pass in its first second, "
     "or empty; one that was not used for an hour is new; with `token_bucket`."},
    {kLimit, "capacity", "whole number", "required",
     "What the bucket holds: with `mode: meter` the most at once, with `mode: queue` the most that "
     "wait their turn; with `leaky_bucket`."},
    {kLimit, "mode", "meter or queue", "meter",
     "`meter` lets a burst through and refuses what does not fit, `queue` spaces evenly; with "
     "`leaky_bucket`."},
    {kLimit, "timeout", "duration", "1s",
     "No permit is promised further ahead than this; with `smooth`."},
    {kLimit, "pay", "now or next", "see text",
     "Who waits for what a permit costs: whoever takes it (`now`, the default), or the next one, "
     "so that after a quiet time a dear record leaves at once (`next`, the default with "
     "`warm_up`); with `smooth`."},
    {kLimit, "warm_up", "duration", "none",
     "How long it takes from a third of the rate, after a quiet time, to all of it; replaces "
     "`burst`; with `smooth`."},
    {kLimit, "lease", "duration", "required",
     "When a permit comes back whose gate died; longer than the targets' `timeout`, `use_within` "
     "and `redis.timeout` together; with `concurrency`."},
    {kLimit, "store", "memory or redis", "memory",
     "`redis` is shared by the fleet, `memory` is this process alone."},
    {kLimit, "key", "text", "none",
     "One bucket for each value of: `record_key`, `topic`, `partition`, `header:NAME`, "
     "`json:/pointer`; `none` is one bucket for all."},
    {kLimit, "cost", "text", "1",
     "Permits that one delivery attempt takes: a whole number, `header:NAME` or `json:/pointer` "
     "for the number that stands there, or `bytes` for the size of the record's value."},
    {kLimit, "default_cost", "whole number", "see text",
     "The cost of a record whose own cannot be read, 1 without this; only with a cost from the "
     "record."},
    {kLimit, "bad_key", "default or dead_letter", "default",
     "What becomes of a record whose key or cost cannot be read: it counts in the empty key's "
     "bucket with `default_cost`, or it goes to the route's dead letter topic."},
    {kLimit, "spread", "true or false", "false",
     "Lets a Redis Cluster spread the buckets of different keys over its nodes; all limits of a "
     "route are spread by the same key, or none."},
    {kLimit, "horizon", "duration", "see text",
     "How far ahead permits may be granted; 0 is plain reject and retry. The default is 500ms, "
     "with `smooth` its `timeout`, and 0 where an algorithm grants nothing ahead."},
    {kLimit, "strict", "true or false", "false",
     "A permit is used within 1ms of its instant or given back, and the window of `sliding_log` "
     "and "
     "`sliding_window` is 1ms longer for it."},
    {kLimit, "use_within", "duration", "100ms",
     "A permit not used this long after its instant is given back and asked for again; at most "
     "4s."},
    {kLimit, "on_outage", "hold, pass or local_share", "hold",
     "What happens while the store cannot answer: records wait, or pass without a limit, or pass "
     "under this gate's share of it (one of `instances`)."},
    {kLimit, "shadow", "true or false", "false",
     "Decides and counts what it would have done, and holds nobody up: to try a limit, or other "
     "numbers for one, before it holds."},
};

}  // namespace

std::span<const Option> options_of_limits() { return kOptions; }

}  // namespace einlass::config
