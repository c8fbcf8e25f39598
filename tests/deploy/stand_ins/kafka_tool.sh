#!/bin/sh
# Each tool of Kafka's that is used here, by the name that it is called by.
set -eu

case "$(basename "$0" .sh)" in
  kafka-topics) class=TopicCommand ;;
  kafka-console-producer) class=ConsoleProducer ;;
  kafka-broker-api-versions) class=BrokerApiVersionsCommand ;;
  kafka-get-offsets) class=GetOffsetShell ;;
  kafka-consumer-groups) class=consumer.group.ConsumerGroupCommand ;;
esac
exec java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '/opt/kafka/libs/*' "org.apache.kafka.tools.$class" "$@"
