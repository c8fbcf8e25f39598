#include "adapters/metrics/page.h"

#include <optional>

#include "adapters/metrics/families.h"
#include "adapters/metrics/process.h"
#include "adapters/metrics/sections.h"

namespace einlass::metrics {
namespace {

void add_loops(Families& page, const Snapshot& snapshot) {
  page.histogram("einlass_loop_turn_seconds",
                 "How long the turns of a shard's loop take, from waking up until everything is "
                 "performed: nothing else happens there meanwhile.");
  for (const Loop& loop : snapshot.loops) {
    page.add({{"shard", std::to_string(loop.shard)}}, loop.turns);
  }
  page.counter(
      "einlass_loop_busy_seconds_total",
      "CPU time of the shard's thread: 1 in a second means that it does nothing but work.");
  for (const Loop& loop : snapshot.loops) {
    page.add({{"shard", std::to_string(loop.shard)}}, loop.busy_seconds);
  }
  page.gauge("einlass_shards", "Shards of this gate.");
  page.add({}, snapshot.shards);
  page.gauge("einlass_shards_answering",
             "Shards whose numbers on this page are new; of the others they are those that it "
             "last gave.");
  page.add({}, snapshot.shards_answering);
}

void add_spans(Families& page, const Spans& spans) {
  page.counter("einlass_spans_exported_total", "Spans that the collector of tracing has taken.");
  page.add({}, spans.exported);
  page.counter(
      "einlass_spans_dropped_total",
      "Spans that the collector of tracing will never have: it refused them, more waited for it "
      "than there is room for, or the gate left before their end.");
  page.add({}, spans.dropped);
}

void add_program(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_build_info", "Always 1; which program this is stands in its labels.");
  page.add({{"version", snapshot.version}, {"librdkafka", snapshot.librdkafka_version}}, 1.0);
  page.gauge("einlass_config_last_reload_successful",
             "1 if what runs is what the configuration's file said the last time it was read; 0 "
             "if it had mistakes then, or changes that need a restart.");
  page.add({}, snapshot.reloads.last_successful ? 1.0 : 0.0);
  page.gauge("einlass_config_last_reload_success_timestamp_seconds",
             "When the running configuration was read, in seconds since 1970.");
  page.add({}, snapshot.reloads.last_success_seconds);
  page.counter("einlass_config_reloads_total",
               "Times that the configuration's file was read anew, by what came of it: applied, "
               "wrong (it has mistakes) or needs_restart; then nothing was changed.");
  page.add({{"result", "applied"}}, snapshot.reloads.applied);
  page.add({{"result", "wrong"}}, snapshot.reloads.wrong);
  page.add({{"result", "needs_restart"}}, snapshot.reloads.needs_restart);
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
             "Most virtual memory that may be had; without a limit 2^64 - 1.");
  page.add({}, process->max_virtual_bytes);
  page.gauge("process_open_fds", "Open file descriptors.");
  page.add({}, process->open_files);
  page.gauge("process_max_fds", "Most file descriptors that may be open.");
  page.add({}, process->max_files);
}

}  // namespace

std::string render(const Snapshot& snapshot) {
  Families page;
  add_routes(page, snapshot);
  add_shares(page, snapshot);
  add_limits(page, snapshot);
  add_targets(page, snapshot);
  add_kafka(page, snapshot);
  add_loops(page, snapshot);
  add_spans(page, snapshot.spans);
  add_program(page, snapshot);
  add_process(page);
  return page.text();
}

}  // namespace einlass::metrics
