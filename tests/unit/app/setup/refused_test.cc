#include "app/setup/refused.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

TEST(RefusedCertificate, is_told_before_anything_starts) {
  config::Admin admin;
  EXPECT_EQ(refused_certificate(admin), "");
  admin.tls = config::AdminTls{"/no/such/file", "/no/such/file"};
  EXPECT_TRUE(refused_certificate(admin).starts_with(
      "admin.tls: no certificate can be read from /no/such/file"));
}

}  // namespace
}  // namespace einlass::app
