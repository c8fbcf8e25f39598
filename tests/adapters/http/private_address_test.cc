#include "adapters/http/resolver/private_address.h"

#include <gtest/gtest.h>

namespace einlass::http {
namespace {

bool is(const char* address) { return is_private(boost::asio::ip::make_address(address)); }

TEST(PrivateAddress, those_inside_are_private) {
  for (
      const char* address :
      {"0.0.0.0",       "10.0.0.1",         "10.255.255.255",  "100.64.0.1",      "100.127.255.255",
       "127.0.0.1",     "169.254.169.254",  "172.16.0.1",      "172.31.255.255",  "192.0.0.1",
       "192.0.2.1",     "192.168.0.1",      "198.18.0.1",      "198.19.255.255",  "198.51.100.1",
       "203.0.113.1",   "224.0.0.1",        "240.0.0.1",       "255.255.255.255", "::",
       "::1",           "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::10.1.2.3",      "fc00::1",
       "fdff::1",       "fe80::1",          "ff02::1",         "fec0::1",         "64:ff9b::a00:1",
       "2002:a00:1::1", "2002:7f00:1::",    "2001:db8::1",     "2001:0:1:2::3",   "64:ff9b:1::1",
       "100::1"}) {
    EXPECT_TRUE(is(address)) << address;
  }
}

// Each machine of Azure reaches its host there, and what it is told there is not for others.
TEST(PrivateAddress, the_host_of_a_machine_at_azure_is_private) {
  for (const char* address : {"168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110"}) {
    EXPECT_TRUE(is(address)) << address;
  }
  EXPECT_FALSE(is("168.63.129.15"));
  EXPECT_FALSE(is("168.63.129.17"));
}

// RFC 8215: a network chooses what it has there, and where in it the address of IPv4 stands.
TEST(PrivateAddress, a_networks_own_nat64_is_private_whatever_its_end_says) {
  for (const char* address : {"64:ff9b:1::", "64:ff9b:1::808:808",
                              "64:ff9b:1:7f00:0:100::", "64:ff9b:1:ffff:ffff:ffff:808:808"}) {
    EXPECT_TRUE(is(address)) << address;
  }
}

TEST(PrivateAddress, the_others_are_not) {
  for (const char* address :
       {"1.1.1.1",        "9.255.255.255",    "11.0.0.0",        "100.63.255.255",
        "100.128.0.0",    "126.255.255.255",  "128.0.0.0",       "169.253.255.255",
        "172.15.255.255", "172.32.0.0",       "192.0.1.0",       "192.167.0.1",
        "192.169.0.0",    "198.17.255.255",   "198.20.0.0",      "223.255.255.255",
        "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2606:4700::1111",
        "2a00:1450::1"}) {
    EXPECT_FALSE(is(address)) << address;
  }
}

}  // namespace
}  // namespace einlass::http
