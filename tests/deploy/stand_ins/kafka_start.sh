#!/bin/sh
# As the image of Apache Kafka starts: KAFKA_NODE_ID=1 of the environment is node.id=1 of the broker's properties.
set -eu

directory=$(mktemp -d)
env | sed -n 's/^KAFKA_//p' | while IFS='=' read -r name value; do
  printf '%s=%s\n' "$(printf '%s' "$name" | tr 'A-Z_' 'a-z.')" "$value"
done > "$directory/server.properties"
printf 'log.dirs=%s/data\n' "$directory" >> "$directory/server.properties"

set -f  # The star is Java's.
java="java -Xmx512m -XX:+UseSerialGC -cp /opt/kafka/libs/*"
$java kafka.tools.StorageTool format -t MkU3OEVBNTcwNTJENDM2Qg -c "$directory/server.properties"
exec $java kafka.Kafka "$directory/server.properties"
