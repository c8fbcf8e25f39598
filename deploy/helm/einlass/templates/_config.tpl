{{/* The gates' configuration as a map, without sections that are left empty. What is no YAML stops here, and not in a pod. */}}
{{- define "einlass.config" -}}
{{- $read := fromYaml .Values.config -}}
{{- if hasKey $read "Error" }}{{ fail (printf "config: %s" $read.Error) }}{{ end -}}
{{- range $section, $said := $read }}{{ if kindIs "invalid" $said }}{{ $_ := unset $read $section }}{{ end }}{{ end -}}
{{ toJson $read }}
{{- end }}

{{/* Where the admin pages listen. The probes and Prometheus come from outside the pod. */}}
{{- define "einlass.listen" -}}
{{- $listen := dig "admin" "listen" "127.0.0.1:9465" (include "einlass.config" . | fromJson) -}}
{{- if regexMatch "^(127\\.|localhost|\\[::1\\])" $listen }}
{{- fail (printf "config: admin.listen is %s, where the probes cannot reach it: write admin: {listen: \"0.0.0.0:9465\"}, or \"[::]:9465\" where pods have IPv6" $listen) }}
{{- end -}}
{{ $listen }}
{{- end }}

{{/* The port there; of one that is a variable its default, as of ${PORT:-9465}. */}}
{{- define "einlass.port" -}}
{{ regexFind ":-?[0-9]+}?$" (include "einlass.listen" .) | trimAll ":-}" | default "9465" }}
{{- end }}

{{/* The configuration's drain_timeout in whole seconds; nothing if only the gate will know, as of a variable. */}}
{{- define "einlass.drain" -}}
{{- $said := dig "drain_timeout" "10s" (include "einlass.config" . | fromJson) | toString -}}
{{- if regexMatch "^[0-9]+([.][0-9]+)?(us|ms|s|m|h|d)$" $said -}}
{{ mulf (regexFind "^[0-9.]+" $said) (get (dict "us" 0.000001 "ms" 0.001 "s" 1 "m" 60 "h" 3600 "d" 86400) (regexFind "[a-z]+$" $said)) | ceil | int }}
{{- end -}}
{{- end }}

{{/* How long a pod may take to leave: the drain, the last commit, and some room. */}}
{{- define "einlass.grace" -}}
{{- $drain := include "einlass.drain" . | default "10" | int -}}
{{- $said := .Values.terminationGracePeriodSeconds -}}
{{- if kindIs "invalid" $said -}}
{{ add $drain 20 }}
{{- else if lt (int $said) (int (add $drain 15)) -}}
{{ fail (printf "terminationGracePeriodSeconds is %d, and config: drain_timeout (%d s) asks for 15 s more than itself: set %d or more, or null" (int $said) $drain (add $drain 15)) }}
{{- else -}}
{{ int $said }}
{{- end -}}
{{- end }}

{{/* What a probe asks: over TLS where the gates' configuration has admin.tls. The kubelet does not look at certificates. */}}
{{- define "einlass.probe" -}}
{path: {{ .path }}, port: admin{{ if dig "admin" "tls" "" (include "einlass.config" .root | fromJson) }}, scheme: HTTPS{{ end }}}
{{- end }}

{{/*
What of the configuration a gate takes only when it starts, as docs/operations.md says: the pods are restarted when this changes,
and reload the rest. An option that is not named here restarts them, which is never wrong (but of `targets.*.http` only what is named
here does); so does each topic that records are written to, if a route has a pattern of topics, which it may fit.
*/}}
{{- define "einlass.restarts" -}}
{{- $config := include "einlass.config" . | fromJson -}}
{{- $fixed := omit $config "instances" "inside" "drain_timeout" "watchdog" "log" "limits" "targets" "routes" "shares" -}}
{{- $_ := set $fixed "admin" (omit ($config.admin | default dict) "token" "token_file") -}}
{{- $_ := set $fixed "kafka" (omit ($config.kafka | default dict) "commit_interval" "commit_records" "revoke_timeout" "auto_offset_reset") -}}
{{- if $config.tracing }}{{ $_ := set $fixed "tracing" (omit $config.tracing "headers") }}{{ end -}}
{{- $patterns := false -}}
{{- range $config.routes }}{{ if regexMatch "\"[$^]" (toJson .topics) }}{{ $patterns = true }}{{ end }}{{ end -}}
{{- $parts := dict -}}
{{- range $name, $limit := $config.limits | default dict }}
{{- $one := omit $limit "limit" "window" "even" "slices" "rate" "start" "capacity" "timeout" "lease" "default_cost" "bad_key" "horizon" "use_within" "strict" "on_outage" "overrides" "schedule" -}}
{{- range list "burst" "warm_up" }}{{ if hasKey $limit . }}{{ $_ := set $one . "a number" }}{{ end }}{{ end -}}
{{- if and (has (toString $limit.algorithm) (list "counter" "fixed_window" "sliding_window")) (hasKey $limit "burst") }}
{{- /* A limit of its own keeps it, there only where the burst is less than the limit: only the gate knows variables. */}}
{{- $known := and (kindIs "float64" $limit.burst) (kindIs "float64" $limit.limit) }}
{{- $_ := set $one "burst" (ternary (lt (float64 $limit.burst) (float64 $limit.limit)) (list $limit.burst $limit.limit) $known) }}
{{- end -}}
{{- if regexMatch "^[0-9]+$" (toString $limit.cost) }}{{ $_ := unset $one "cost" }}{{ end -}}
{{- $_ := set $parts (printf "limits %s" $name) $one -}}
{{- end -}}
{{- range $name, $target := $config.targets | default dict }}
{{- $one := omit $target "http" "breaker" "retry" -}}
{{- if $target.http }}{{ $_ := set $one "http" (pick $target.http "batch") }}{{ end -}}
{{- if $target.kafka }}{{ $_ := set $one "kafka" (omit $target.kafka (ternary "" "topic" $patterns) "partition" "max_in_flight") }}{{ end -}}
{{- $_ := set $one "retry" (omit ($target.retry | default dict) "initial" "max") -}}
{{- $_ := set $parts (printf "targets %s" $name) $one -}}
{{- end -}}
{{- range $index, $route := $config.routes | default list }}
{{- $one := omit $route "retry" "inside" "largest_record" "filter" "else" "not_before" "expires" -}}
{{- if and $route.dead_letter (not $patterns) }}{{ $_ := set $one "dead_letter" true }}{{ end -}}
{{- $_ := set $parts (printf "routes %d" $index) $one -}}
{{- end -}}
{{- range $name, $share := $config.shares | default dict }}
{{- $_ := set $parts (printf "shares %s" $name) (omit $share "weight") -}}
{{- end -}}
{{ toJson (list $fixed $parts) }}
{{- end }}
