{{- define "fairlead.name" -}}
{{- if contains "fairlead" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-fairlead{{ end -}}
{{- end }}

{{- define "fairlead.selector" -}}
app.kubernetes.io/name: fairlead
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fairlead.labels" -}}
{{ include "fairlead.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Roles and replicas of a component. */}}
{{- define "fairlead.components" -}}
{{- if .Values.split }}
{{- range list "api" "scheduler" "supervisor" "background" }}
{{ . }}: {roles: {{ . | quote }}, replicas: {{ index $.Values.replicas . }}}
{{- end }}
{{- else }}
together: {roles: "api,scheduler,supervisor,background", replicas: {{ .Values.replicas.together }}}
{{- end }}
{{- end }}

{{/* Paths of the encryption keys, in order. */}}
{{- define "fairlead.encryptionKeys" -}}
{{- $paths := list -}}
{{- range .Values.encryptionKeys.keys -}}
{{- $paths = append $paths (eq . "key-file" | ternary . (printf "/etc/fairlead/encryption-keys/%s" .)) -}}
{{- end -}}
{{- join "," $paths -}}
{{- end }}

{{- define "fairlead.checked" -}}
{{- if ne (empty .Values.encryptionKeys.secret) (empty .Values.encryptionKeys.keys) }}
{{- fail "encryptionKeys needs both secret and keys, the keys of the Secret in order" }}
{{- end }}
{{- if and (not .Values.bootstrapToken.secret) (not .Values.oidc.issuer) }}
{{- fail "bootstrapToken.secret and oidc.issuer are both empty: set one, or every request would be refused" }}
{{- end }}
{{- if and .Values.oidc.issuer (not .Values.oidc.audience) }}
{{- fail "oidc.audience is empty: set it, or tokens for any other service of the issuer would be accepted" }}
{{- end }}
{{- if and .Values.ingress.enabled .Values.httpRoute.enabled }}
{{- fail "ingress.enabled and httpRoute.enabled are both true: set one" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.host is empty: set it, because an Ingress without a host receives the requests of all hosts" }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parents) }}
{{- fail "httpRoute.parents is empty: name the Gateway, such as [{name: public, namespace: gateways}]" }}
{{- end }}
{{- if and .Values.httpRoute.enabled .Values.tls.secret }}
{{- fail "httpRoute.enabled needs plain HTTP behind the Gateway: leave tls.secret empty, or create a TLSRoute yourself" }}
{{- end }}
{{- if and (hasPrefix "verify" .Values.database.sslMode) (not .Values.database.caSecret) }}
{{- fail "database.caSecret is empty: database.sslMode verify-ca and verify-full need the CA certificate" }}
{{- end }}
{{- end }}
