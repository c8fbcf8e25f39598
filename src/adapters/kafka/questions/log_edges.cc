#include "adapters/kafka/questions/log_edges.h"

namespace einlass::kafka {

// Of the two calls for this, rd_kafka_query_watermark_offsets() waits far beyond its timeout for a
// leader that does not answer, and takes one partition at a time.
rd_kafka_resp_err_t look_up_edge(rd_kafka_t* client, std::int64_t which,
                                 rd_kafka_topic_partition_list_t* list, int patience_ms) {
  for (int i = 0; i < list->cnt; ++i) list->elems[i].offset = which;
  if (const auto error = rd_kafka_offsets_for_times(client, list, patience_ms)) return error;
  for (int i = 0; i < list->cnt; ++i) {
    rd_kafka_topic_partition_t& entry = list->elems[i];
    if (!entry.err && entry.offset < 0) entry.err = RD_KAFKA_RESP_ERR__TIMED_OUT;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace einlass::kafka
