#include "adapters/metrics/page.h"

#include <optional>

#include "adapters/metrics/families.h"
#include "adapters/metrics/process.h"
#include "adapters/metrics/sections.h"

namespace einlass::metrics {
namespace {

void add_troubles(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_trouble_since_timestamp_seconds",
             "What is wrong now, one series each, and since when, in seconds since 1970; no series "
             "while nothing is. severity is bad if nothing of it works, else warning. The live "
             "page and /v1/status say why.");
  for (const Trouble& it : snapshot.troubles) {
    page.add({{"what", it.what}, {"name", it.name}, {"severity", it.severity}}, it.since_seconds);
  }
  page.gauge("einlass_trouble_waiting_records",
             "Records that wait for the end of a trouble, where that can be said.");
  for (const Trouble& it : snapshot.troubles) {
    if (it.waiting) page.add({{"what", it.what}, {"name", it.name}}, *it.waiting);
  }
}

void add_loops(Families& page, const Snapshot& snapshot) {
  page.histogram("einlass_loop_turn_seconds",
                 "Duration of an iteration of a shard's event loop, from waking up until "
                 "everything is done; the shard does nothing else meanwhile.");
  for (const Loop& loop : snapshot.loops) {
    page.add({{"shard", std::to_string(loop.shard)}}, loop.turns);
  }
  page.counter("einlass_loop_busy_seconds_total",
               "CPU time of the shard's thread: 1 per second means that it is busy all the time.");
  for (const Loop& loop : snapshot.loops) {
    page.add({{"shard", std::to_string(loop.shard)}}, loop.busy_seconds);
  }
  page.gauge("einlass_shards", "Shards of this gate.");
  page.add({}, snapshot.shards);
  page.gauge("einlass_shards_answering",
             "Shards whose numbers on this page are current; of the others the last known numbers "
             "are shown.");
  page.add({}, snapshot.shards_answering);
}

void add_spans(Families& page, const Spans& spans) {
  page.counter("einlass_spans_exported_total",
               "Spans sent with success; a collector may still have rejected some of them (partial "
               "success).");
  page.add({}, spans.exported);
  page.counter(
      "einlass_spans_dropped_total",
      "Spans that the tracing collector will never get: it refused them, too many were waiting, or "
      "the gate stopped before they ended.");
  page.add({}, spans.dropped);
}

void add_program(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_build_info", "Always 1; the labels name the program's version.");
  page.add({{"version", snapshot.version}, {"librdkafka", snapshot.librdkafka_version}}, 1.0);
  page.gauge("einlass_config_last_reload_successful",
             "1 if the last reload was applied; 0 if the file had mistakes, or changes that need a "
             "restart.");
  page.add({}, snapshot.reloads.last_successful ? 1.0 : 0.0);
  page.gauge("einlass_config_last_reload_success_timestamp_seconds",
             "When the running configuration was read, in seconds since 1970.");
  page.add({}, snapshot.reloads.last_success_seconds);
  page.counter("einlass_config_reloads_total",
               "Reloads of the configuration, by result: applied, wrong (it has mistakes) or "
               "needs_restart; with the latter two nothing was changed.");
  page.add({{"result", "applied"}}, snapshot.reloads.applied);
  page.add({{"result", "wrong"}}, snapshot.reloads.wrong);
  page.add({{"result", "needs_restart"}}, snapshot.reloads.needs_restart);
}

void add_steering(Families& page, const Steering& steering) {
  page.gauge("einlass_paused",
             "1 for each thing that somebody has paused: what is route, target, topic or limit, of "
             "which name is LIMIT/KEY. At most 1,000 series.");
  for (const Steering::Paused& one : steering.paused) {
    page.add({{"what", one.what}, {"name", one.name}}, 1.0);
  }
  page.gauge("einlass_pause_end_timestamp_seconds",
             "When a pause ends by itself, in seconds since 1970, 0 if somebody has to resume what "
             "is paused; who paused it and why, where that was said. At most 1,000 series.");
  for (const Steering::Paused& one : steering.paused) {
    page.add({{"what", one.what}, {"name", one.name}, {"who", one.who}, {"why", one.why}},
             one.end_seconds);
  }
  if (!steering.has_table) return;
  page.gauge("einlass_quotas",
             "Quotas by key and weights of flows that hold, from the table of quotas and pauses.");
  page.add({}, steering.quotas);
  page.gauge("einlass_quotas_refused",
             "Entries of the table of quotas and pauses that are wrong, so that what was before "
             "them still holds; /v1/status says why.");
  page.add({}, steering.refused);
  page.gauge("einlass_quotas_stale_seconds",
             "For how long the table of quotas and pauses cannot be read; 0 while it can. What was "
             "read last holds meanwhile.");
  page.add({}, steering.stale_seconds);
}

void add_process(Families& page) {
  const std::optional<Process> process = read_process();
  if (!process) return;
  page.counter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.");
  page.add({}, process->cpu_seconds);
  page.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.");
  page.add({}, process->start_time);
  page.gauge("process_resident_memory_bytes", "Resident memory.");
  page.add({}, process->resident_bytes);
  page.gauge("process_virtual_memory_bytes", "Virtual memory.");
  page.add({}, process->virtual_bytes);
  page.gauge("process_virtual_memory_max_bytes",
             "Limit of virtual memory; 2^64 - 1 if there is none.");
  page.add({}, process->max_virtual_bytes);
  page.gauge("process_open_fds", "Open file descriptors.");
  page.add({}, process->open_files);
  page.gauge("process_max_fds", "Limit of open file descriptors.");
  page.add({}, process->max_files);
}

}  // namespace

std::string render(const Snapshot& snapshot) {
  Families page;
  add_troubles(page, snapshot);
  add_routes(page, snapshot);
  add_shares(page, snapshot);
  add_limits(page, snapshot);
  add_targets(page, snapshot);
  add_kafka(page, snapshot);
  add_loops(page, snapshot);
  add_spans(page, snapshot.spans);
  add_steering(page, snapshot.steering);
  add_program(page, snapshot);
  add_process(page);
  return page.text();
}

}  // namespace einlass::metrics
