{{- define "einlass.name" -}}
{{- if contains "einlass" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-einlass" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
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
