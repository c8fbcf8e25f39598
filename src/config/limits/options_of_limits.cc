// limits.NAME
#include "config/tables/tables.h"

namespace einlass::config {

const Rows<Limit> kLimit = {
    {"algorithm", algorithm(),
     "What the limit promises. `sliding_log`: never more than `limit` in any `window`; "
     "`sliding_window`: the same, counted in slices; `fixed_window`: at most `limit` in each "
     "window, so up to twice that across an edge; `counter`: the same with windows that open at "
     "the first record; `token_bucket`: `rate` in the long run and at most `burst` at once; "
     "`gcra`: the same, kept as one instant; `leaky_bucket`: the same with `mode: meter`, evenly "
     "spaced with `mode: queue`; `smooth`: a token bucket whose waits are at most `timeout`, "
     "optionally with a warm-up; `concurrency`: at most `limit` attempts in flight."},
    {"limit", parameter("limit"),
     "Permits in a window, or attempts in flight; with `sliding_window` (`log: newest`: at most "
     "100,000), `fixed_window`, `counter`, `sliding_log` and `concurrency` (10,000,000)."},
    {"window", parameter("window"),
     "The window's length; with `sliding_log`, `sliding_window`, `fixed_window` and `counter`."},
    {"align", parameter("align"),
     "Where windows begin: at multiples of their length since 1970, or at an offset that differs "
     "from key to key; with `fixed_window`."},
    {"slices", parameter("slices"),
     "Number of slices of the window that are counted separately; the partly expired one counts in "
     "full; with `sliding_window`."},
    {"log", parameter("log"),
     "`newest` keeps the time of each permit in the newest slice, which regains up to one slice of "
     "throughput; with `sliding_window`."},
    {"rate", parameter("rate"),
     "Permits that come back; with `token_bucket`, `gcra`, `leaky_bucket` and `smooth`. `0/s` "
     "denies everything: records wait, or go to the `dead_letter` topic if there is one."},
    {"even", parameter("even"),
     "The part of the window over which permits that must wait are spread, in groups of 5 ms, "
     "instead of all coming at once when the window frees them; 0% to 95%; with `sliding_log`."},
    {"burst", parameter("burst").defaults_to("see text"),
     "The most permits at once; required with `token_bucket`, `gcra` and `smooth`. Optional with "
     "`sliding_log`, `sliding_window`, `fixed_window` and `counter`: at most this many at once, "
     "and the rest evenly spread."},
    {"start", parameter("start"),
     "How a new bucket starts: full, so that `burst` plus a second's rate pass in its first "
     "second, or empty. A bucket that has been full for an hour is new again; with "
     "`token_bucket`."},
    {"capacity", parameter("capacity"),
     "Size of the bucket: with `mode: meter` the most at once, with `mode: queue` the most that "
     "wait for their turn; with `leaky_bucket`."},
    {"mode", parameter("mode"),
     "`meter` lets a burst through and denies what does not fit, `queue` spaces permits evenly; "
     "with `leaky_bucket`."},
    {"timeout", parameter("timeout"),
     "No permit is promised further ahead than this; with `smooth`."},
    {"pay", parameter("pay").defaults_to("see text"),
     "`now` (default): an expensive record waits for its own cost. `next` (default with "
     "`warm_up`): it leaves at once and the record after it waits, as in Guava; with `smooth`."},
    {"warm_up", parameter("warm_up").defaults_to("none"),
     "How long it takes, after a quiet time, to rise from a third of the rate to all of it; "
     "replaces `burst`; with `smooth`."},
    {"lease", parameter("lease"),
     "After this time a permit is freed if its gate has died; must be longer than the targets' "
     "`timeout`, `use_within` and `redis.timeout` together; with `concurrency`."},
    {"store", choice(&Limit::store, {"memory", "redis"}),
     "`redis` is shared by all gates, `memory` is for this process only."},
    {"key", key(&Limit::key).called("text"),
     "One bucket for each value of: `record_key`, `topic`, `partition`, `header:NAME`, "
     "`json:/pointer`; `none` is one bucket for all."},
    {"cost", limit_cost().live(),
     "Permits that one delivery attempt takes: a whole number, `header:NAME` or `json:/pointer` "
     "for a number in the record, or `bytes` for the size of its value."},
    {"default_cost",
     number(&Limit::default_cost, 1, kMostCost)
         .only_where(
             [](const Limit& limit) { return limit.limit.cost_from_record; }, {"cost"},
             "is for records whose cost cannot be read, but here all cost the same; leave it out")
         .defaults_to("see text")
         .live(),
     "Cost of a record whose own cost cannot be read (default 1); only with a cost from the "
     "record."},
    {"bad_key", choice(&Limit::bad_key, {"default", "dead_letter"}).live(),
     "What happens to a record whose key or cost cannot be read: it uses the bucket of the empty "
     "key with `default_cost`, or it goes to the route's dead letter topic."},
    {"spread", truth(&Limit::spread),
     "Let a Redis Cluster spread the buckets of different keys over its nodes. All limits of a "
     "route must be spread by the same key, or none."},
    {"horizon", duration(&Limit::horizon, {}, hours(1)).defaults_to("see text").live(),
     "How far ahead permits may be granted; 0 is plain deny and retry. The default is 500ms, with "
     "`smooth` its `timeout`, and 0 for algorithms that grant nothing ahead."},
    {"strict", truth(&Limit::strict).live(),
     "Use a permit within 1ms of its instant or give it back; the window of `sliding_log` and "
     "`sliding_window` is then 1ms longer."},
    {"use_within",
     duration(&Limit::use_within, {1}, seconds(4))
         .only_where([](const Limit& limit) { return !limit.strict; }, {"strict"},
                     "stands beside strict, which uses permits within 1ms; leave one out")
         .live(),
     "A permit that is not used this long after its instant is given back and requested again."},
    {"on_outage", choice(&Limit::on_outage, {"hold", "pass", "local_share"}).live(),
     "What happens while the store does not answer: records wait, pass without this limit, or pass "
     "under this gate's share of it (limit / `instances`)."},
    {"share", reference(&Limit::share, "share", &Config::shares),
     "The share by which the flows of all gates divide this limit; its routes have the same. "
     "Without `key`, and for algorithms that grant permits ahead."},
    {"shadow", truth(&Limit::shadow),
     "Evaluate the limit on live records and count what it would have done, without enforcing it."},
    {"overrides", overrides(),
     "Other numbers for single keys: a key, or `BEGIN*` for keys that begin with BEGIN (the "
     "longest match wins)."},
    {"schedule", schedule(),
     "Other numbers at some times of the week: `HH:MM-HH:MM DAYS ZONE`, as `08:00-18:00 Mon-Fri "
     "Europe/Berlin`. Keys with a quota or an entry of `overrides` keep theirs."},
};

}  // namespace einlass::config
