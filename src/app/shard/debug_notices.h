// What a shard says at log.level debug: each thing that the gate is told and asks for, so that
// whoever wonders why nothing happens finds the step behind which nothing comes. There may be
// a hundred thousand a second: the text names what they have in common, and is the same for all;
// which one it was stands beside it, as an example. No key and no value of a record is in it.
#pragma once

#include "adapters/kafka/source/source.h"
#include "app/permits/limiters.h"
#include "app/record/record_store.h"
#include "config/model/config.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "units/notice.h"

namespace einlass::app {

// REQUIRES: one thread; outlived by what the constructor is given.
class DebugNotices {
 public:
  DebugNotices(const Limiters& limiters, const RecordStore& records, const Notify& notify)
      : limiters_(limiters), records_(records), notify_(notify) {}

  // Of what the gate is about to handle, and of what is about to be carried out, under the config
  // of now.
  void note(const core::Event& event, const config::Config& config,
            const kafka::RecordSource& source) const;
  void note(const core::Command& command, const config::Config& config,
            const kafka::RecordSource& source) const;

 private:
  const Limiters& limiters_;
  const RecordStore& records_;
  const Notify& notify_;
};

}  // namespace einlass::app
