#include "app/views/books.h"

namespace einlass::app {
namespace {

void add(Books& sum, const Books& books) {
  sum.received += books.received;
  sum.delivered += books.delivered;
  sum.dead_lettered += books.dead_lettered;
  sum.returned += books.returned;
  sum.filtered += books.filtered;
  sum.inside += books.inside;
}

}  // namespace

Books books_of(const core::RouteStats& stats) {
  Books books{stats.received, stats.delivered, 0, stats.returned, stats.filtered, stats.inside};
  for (const std::uint64_t dead : stats.dead_lettered) books.dead_lettered += dead;
  return books;
}

Books books_of(const Shard& shard, const config::Config& config) {
  Books sum;
  for (std::uint16_t i = 0; i < config.routes.size(); ++i) {
    add(sum, books_of(shard.gate().stats(core::RouteId{i})));
  }
  return sum;
}

Books books_of(const metrics::Snapshot& snapshot) {
  Books sum;
  for (const metrics::Route& route : snapshot.routes) add(sum, books_of(route.stats));
  return sum;
}

}  // namespace einlass::app
