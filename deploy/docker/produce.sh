#!/bin/sh
# Sample results for docker-compose.yml: about RATE records a second of three tenants, in waves of half a minute. At
# high tide more comes than the limits allow, so that there is something to wait for; at low tide the gates catch up.
set -eu

turns_a_second=5
number=0
turns=0
while true; do
  if [ $((turns / (30 * turns_a_second) % 2)) -eq 0 ]; then
    left=$((RATE * 7 / 4 / turns_a_second))
  else
    left=$((RATE / 4 / turns_a_second))
  fi
  turns=$((turns + 1))
  while [ "$left" -gt 0 ]; do
    case $((number % 10)) in
      0 | 1) tenant=umbrella ;;
      2 | 3 | 4) tenant=globex ;;
      *) tenant=acme ;;
    esac
    printf 'tenant:%s\t%s-%s\t{"job": %s, "result": "done"}\n' "$tenant" "$tenant" $((number % 97)) "$number"
    number=$((number + 1))
    left=$((left - 1))
  done
  sleep 0.2
done | /opt/kafka/bin/kafka-console-producer.sh --bootstrap-server kafka:9092 --topic results \
  --property parse.headers=true --property parse.key=true --producer-property linger.ms=20
