{{/* The objects of a template of the chart, as a list. OLM owns them, so they have no Helm label, and no label of the version. */}}
{{- define "olm.objects" -}}
{{- $objects := list }}
{{- range splitList "\n---\n" (printf "\n%s" (include (index . 1) (index . 0))) }}
{{- $object := fromYaml . }}
{{- if $object }}
{{- $objects = append $objects (include "olm.unlabelled" $object | fromYaml) }}
{{- end }}
{{- end }}
{{- toYaml $objects }}
{{- end }}

{{- define "olm.unlabelled" -}}
{{- range $metadata := list .metadata (dig "spec" "template" "metadata" dict .) }}
{{- if $metadata.labels }}
{{- $_ := set $metadata "labels" (omit $metadata.labels "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart") }}
{{- end }}
{{- end }}
{{- toYaml . }}
{{- end }}
