{{- define "einlass.name" -}}
{{- $name := .Values.nameOverride | default "einlass" -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{ .Values.fullnameOverride | default $full | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "einlass.secret" -}}
{{ include "einlass.name" . }}-admin-token
{{- end }}

{{/*
How many gates; nothing where somebody else sets the number, and the chart has never said it. Where it has, it goes on with the
number that they have: Kubernetes would set 1 if it fell silent. If Helm applies on the server, only for as long as the number is
still its own (the autoscaler takes it with its first change), since a rollback would be refused where it is another's.
*/}}
{{- define "einlass.replicas" -}}
{{- if or .Values.autoscaling.enabled (kindIs "invalid" .Values.replicas) -}}
{{- $live := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "einlass.name" .) -}}
{{- $own := true -}}
{{- range dig "metadata" "managedFields" list $live -}}
{{- if and (eq .manager "helm") (eq .operation "Apply") }}{{ $own = hasKey (dig "f:spec" dict .fieldsV1) "f:replicas" }}{{ end -}}
{{- end -}}
{{- if $own }}{{ dig "spec" "replicas" "" $live }}{{ end -}}
{{- else -}}
{{ .Values.replicas }}
{{- end -}}
{{- end }}

{{- define "einlass.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "einlass.selector" -}}
app.kubernetes.io/name: einlass
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "einlass.labels" -}}
{{ include "einlass.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
