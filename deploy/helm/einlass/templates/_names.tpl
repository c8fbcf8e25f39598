{{- define "einlass.name" -}}
{{- $name := .Values.nameOverride | default "einlass" -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{ .Values.fullnameOverride | default $full | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "einlass.secret" -}}
{{ include "einlass.name" . }}-admin-token
{{- end }}

{{- define "einlass.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "einlass.selector" -}}
app.kubernetes.io/name: einlass
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "einlass.labels" -}}
{{ include "einlass.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
