{{- define "shruti.selector" -}}
app.kubernetes.io/name: shruti
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "shruti.labels" -}}
{{ include "shruti.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- /* Settings shared by the server and the migration: image, privileges, database. */}}
{{- define "shruti.container" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "shruti.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- /* Readiness path, with all packs that a pod must have loaded. */}}
{{- define "shruti.readiness" -}}
/readyz{{ range $at, $id := .Values.packs.ids }}{{ if $at }}&{{ else }}?{{ end }}pack={{ $id }}{{ end }}
{{- end }}

{{- define "shruti.databaseVolume" -}}
- name: database
  secret: {secretName: {{ .Values.database.secret }}, defaultMode: 0440}
{{- end }}
