// Certificates made by the openssl command in a folder of their own, which goes with them.
#pragma once

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "adapters/temporary_directory.h"

namespace einlass::http::testing {

struct FreeSslContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using ServerTls = std::unique_ptr<SSL_CTX, FreeSslContext>;

class Certificates {
 public:
  Certificates() {
    make_authority("ca");
    make_authority("other-ca");
    make_server("good", "DNS:localhost,IP:127.0.0.1", 2);
    make_server("renewed", "DNS:localhost,IP:127.0.0.1", 2);
    make_server("other-name", "DNS:elsewhere.example,IP:127.9.9.9", 2);
    make_server("only-subject", "", 2);
    make_server("expired", "DNS:localhost,IP:127.0.0.1", 0);
    run("genrsa -out of-another-kind.key 2048");
  }
  std::string file(const std::string& name) const { return directory_.file(name); }

  // What a server with that certificate needs.
  ServerTls server(const std::string& name) const {
    ServerTls context(SSL_CTX_new(TLS_server_method()));
    EXPECT_EQ(
        SSL_CTX_use_certificate_file(context.get(), file(name + ".pem").c_str(), SSL_FILETYPE_PEM),
        1);
    EXPECT_EQ(
        SSL_CTX_use_PrivateKey_file(context.get(), file(name + ".key").c_str(), SSL_FILETYPE_PEM),
        1);
    return context;
  }

 private:
  void run(const std::string& command) {
    const std::string all = "cd " + directory_.path() + " && openssl " + command + " 2>openssl.log";
    EXPECT_EQ(std::system(all.c_str()), 0) << all;
  }

  void make_authority(const std::string& name) {
    run("req -x509 " + kKey + " -keyout " + name + ".key -out " + name + ".pem -subj /CN=" + name +
        " -days 2");
  }

  // Without `names` it names localhost by its subject, as certificates once did.
  void make_server(const std::string& name, const std::string& names, int days) {
    const std::string what =
        names.empty() ? "-subj /CN=localhost" : "-subj /CN=server -addext subjectAltName=" + names;
    run("req " + kKey + " -keyout " + name + ".key -out " + name + ".csr " + what);
    run("x509 -req -in " + name + ".csr -CA ca.pem -CAkey ca.key -copy_extensions copy -days " +
        std::to_string(days) + " -out " + name + ".pem");
  }

  const std::string kKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  adapters::testing::TemporaryDirectory directory_;
};

}  // namespace einlass::http::testing
