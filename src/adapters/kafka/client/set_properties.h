// What the configurations of all of the gate's clients are made of. For configuration.cc and
// producer_configuration.cc alone.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <string>
#include <utility>

namespace einlass::kafka {

class Login;

using Property = std::pair<const char*, const char*>;

// A default that an older librdkafka may not know: then it is skipped.
void set_default(rd_kafka_conf_t* conf, const Property& property);

struct UserProperties {
  const std::string& path;  // Where they stand in the configuration, as "kafka.properties".
  const std::map<std::string, std::string>& properties;
  char others;  // The kind of client that this one is not: 'C' or 'P'.
};

// Throws std::runtime_error naming the property at fault. Those that mean something only to the
// other kind are checked and left out.
void set_user_properties(rd_kafka_conf_t* conf, const UserProperties& given, int version);

// How the client logs in where that is by token: over TLS unless the user says otherwise; before
// his properties, which say the rest. `login` may be null.
void set_login(rd_kafka_conf_t* conf, const Login* login);

// Throws std::runtime_error naming `option`, from which the value comes.
// REQUIRES: every librdkafka that we build with knows the property.
void set_own_property(rd_kafka_conf_t* conf, const char* name, const std::string& value,
                      const char* option);

}  // namespace einlass::kafka
