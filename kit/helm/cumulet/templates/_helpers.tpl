{{- define "cumulet.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "cumulet.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cumulet.labels" -}}
{{ include "cumulet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "cumulet.publicUrl" -}}
{{ .Values.publicUrl | default (printf "http://%s:7070" (include "cumulet.name" .)) }}
{{- end -}}

{{- /* The arguments of a node, as a YAML list. */ -}}
{{- define "cumulet.args" -}}
{{- $engines := .Values.engines -}}
- up
- --host=0.0.0.0
- --node-url=http://$(POD_IP):7070
- {{ printf "--public-url=%s" (include "cumulet.publicUrl" .) | quote }}
{{- with .Values.objectsPublicUrl }}
- {{ printf "--objects-public-url=%s" . | quote }}
{{- end }}
{{- with .Values.logsPublicAddress }}
- {{ printf "--logs-public-address=%s" . | quote }}
{{- end }}
- --key=/secrets/region.key
- --drain={{ .Values.drainSeconds }}
- --stop-limit={{ .Values.stopLimitSeconds }}
{{- with .Values.tracesUrl }}
- {{ printf "--traces=%s" . | quote }}
{{- end }}
- {{ printf "--metrics=%s" (required "engines.metrics is not set. Set the address of Prometheus, such as prometheus+http://prometheus.example:9090" $engines.metrics) | quote }}
- {{ printf "--logs=%s" (required "engines.logs is not set. Set the address of Loki, such as loki+http://loki.example:3100" $engines.logs) | quote }}
- {{ printf "--objects=%s" (required "engines.objects is not set. Set the address of an S3 store, such as s3+http://KEY:$(OBJECTS_PASSWORD)@s3.example:9000/BUCKET" $engines.objects) | quote }}
- --streaming=kafka+list:/brokers/brokers.list
{{- with $engines.inference }}
- {{ printf "--inference=%s" . | quote }}
{{- end }}
{{- with $engines.inferenceModels }}
- {{ printf "--inference-models=%s" . | quote }}
{{- end }}
{{- range $name, $value := .Values.options }}
{{- if kindIs "float64" $value }}{{ $value = int64 $value }}{{ end }}
- {{ if kindIs "bool" $value }}--{{ $name }}{{ else }}{{ printf "--%s=%v" $name $value | quote }}{{ end }}
{{- end }}
{{- end -}}

{{- /* Rules that a schema of single values can't express. */ -}}
{{- define "cumulet.check" -}}
{{- $values := .Values -}}
{{- $name := required "secret.name is not set. Set the name of an existing Secret with the region's key and the passwords" $values.secret.name -}}
{{- if not $values.engines.kafka -}}
{{- $none := required "engines.kafka is empty. Add the address of a Kafka cluster, such as kafka://k1.example:9093,k2.example:9093?ca=/secrets/ca.pem&ca-key=/secrets/ca-key.pem" nil -}}
{{- end -}}
{{- if not (has "region.key" $values.secret.files) -}}
{{- fail "secret.files does not contain region.key. All nodes need the region's key" -}}
{{- end -}}
{{- range $line := $values.engines.kafka -}}
{{- range $file := regexFindAll "=/secrets/[^&]+" $line -1 -}}
{{- if not (has (trimPrefix "=/secrets/" $file) $values.secret.files) -}}
{{- fail (printf "engines.kafka uses the file %s, but secret.files does not contain %s. Add it" (trimPrefix "=" $file) (trimPrefix "=/secrets/" $file)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $known := append (keys $values.secret.environment) "POD_IP" -}}
{{- range $variable := regexFindAll "\\$\\([^)]*\\)" (printf "%s %s" $values.stateUrl (include "cumulet.args" .)) -1 -}}
{{- $variable = $variable | trimPrefix "$(" | trimSuffix ")" -}}
{{- if not (has $variable $known) -}}
{{- fail (printf "An address uses $(%s), but secret.environment does not contain %s. Add it with its key of the Secret" $variable $variable) -}}
{{- end -}}
{{- end -}}
{{- range $option := list "config" "data" "detach" "drain" "ephemeral" "help" "host" "inference" "inference-models" "key" "logs" "logs-public-address" "metrics" "node-url" "objects" "objects-public-url" "public-url" "state" "stop-limit" "streaming" "traces" -}}
{{- if hasKey $values.options $option -}}
{{- fail (printf "options.%s is not allowed. The chart sets it, or a pod can't use it" $option) -}}
{{- end -}}
{{- end -}}
{{- range $option := list "https-port" "dns-port" "logs-port" "objects-port" "port" -}}
{{- if hasKey $values.options $option -}}
{{- fail (printf "options.%s is not allowed. The ports of the pods are fixed; change the ports of the Ingress or the balancer" $option) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $values.secret.environment "CUMULET_STATE" -}}
{{- fail "secret.environment contains CUMULET_STATE. Set secret.stateUrlKey instead" -}}
{{- end -}}
{{- if and $values.ingress.enabled (not $values.ingress.gatewayHosts) -}}
{{- fail "ingress.gatewayHosts is empty. Add the host of publicUrl" -}}
{{- end -}}
{{- if and $values.ingress.objectsHosts (not $values.objectsPublicUrl) -}}
{{- fail "ingress.objectsHosts needs objectsPublicUrl. Set it to the address of the object storage for clients" -}}
{{- end -}}
{{- end -}}
