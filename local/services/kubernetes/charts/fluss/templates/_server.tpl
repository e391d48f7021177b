{{- define "fluss.labels" -}}
app.kubernetes.io/name: fluss
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- /* The chart of 0.9 ignores `secrets` and `tablet.readinessProbe`. */ -}}
{{- define "fluss.since1.0" -}}
{{- if semverCompare ">=1.0.0-0" .Chart.Version }}yes{{ end }}
{{- end }}

{{- define "fluss.serverYaml" -}}
{{- range $key, $value := .Values.configurationOverrides }}
{{- if not (kindIs "invalid" $value) }}
{{ $key }}: {{ tpl (printf "%v" $value) $ }}
{{- end }}
{{- end }}
{{- $internal := .Values.security.internal.sasl.mechanism }}
{{- $client := .Values.security.client.sasl.mechanism }}
security.protocol.map: INTERNAL:{{ ternary "SASL" "PLAINTEXT" (ne $internal "") }},CLIENT:{{ ternary "SASL" "PLAINTEXT" (ne $client "") }}
{{- if or $internal $client }}
security.sasl.enabled.mechanisms: PLAIN
{{- end }}
{{- if $internal }}
client.security.protocol: SASL
client.security.sasl.mechanism: PLAIN
{{- end }}
{{- if and .Values.secrets.env (include "fluss.since1.0" .) }}
config.providers: env
config.providers.env.param.allowlist.pattern: {{ range $i, $e := .Values.secrets.env }}{{ if $i }}|{{ end }}{{ $e.name }}{{ end }}
{{- end }}
{{- if .Values.metrics.reporters }}
metrics.reporters: {{ .Values.metrics.reporters }}
{{- end }}
{{- end }}

{{- define "fluss.secretEnv" -}}
- name: {{ .name }}
  valueFrom: {secretKeyRef: {name: {{ .secret }}, key: {{ .key }}}}
{{- end }}

{{- define "fluss.server" -}}
{{- $root := .root }}
{{- $own := .own }}
{{- $name := printf "%s-server" .component }}
{{- $image := printf "%s:%s" $root.Values.image.repository (default $root.Chart.AppVersion $root.Values.image.tag) }}
{{- $security := $root.Values.security }}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels: {{- include "fluss.labels" . | nindent 4 }}
  {{- with $own.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceName: {{ $name }}-hs
  replicas: {{ $own.numberOfReplicas }}
  updateStrategy: {type: RollingUpdate}
  selector:
    matchLabels: {{- include "fluss.labels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "fluss.labels" . | nindent 8 }}
        {{- with $own.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $own.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- if $root.Values.serviceAccount.create }}
      serviceAccountName: {{ default $root.Release.Name $root.Values.serviceAccount.name }}
      {{- end }}
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with $own.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $own.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $own.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $own.topologySpreadConstraints }}
      topologySpreadConstraints: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $own.initContainers }}
      initContainers: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: fluss-{{ .component }}
          image: {{ $image | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          ports:
            - {name: internal, containerPort: {{ $root.Values.listeners.internal.port }}}
            - {name: client, containerPort: {{ $root.Values.listeners.client.port }}}
          env:
            - name: POD_NAME
              valueFrom: {fieldRef: {fieldPath: metadata.name}}
            {{- range $i, $user := $security.client.sasl.plain.users }}
            {{- with $user.existingSecret }}
            {{- include "fluss.secretEnv" (dict "name" (printf "FLUSS_JAAS_CLIENT_USERNAME_%d" $i) "secret" .name "key" .usernameKey) | nindent 12 }}
            {{- include "fluss.secretEnv" (dict "name" (printf "FLUSS_JAAS_CLIENT_PASSWORD_%d" $i) "secret" .name "key" .passwordKey) | nindent 12 }}
            {{- end }}
            {{- end }}
            {{- with $security.internal.sasl.plain.existingSecret }}
            {{- include "fluss.secretEnv" (dict "name" "FLUSS_JAAS_INTERNAL_USERNAME" "secret" .name "key" .usernameKey) | nindent 12 }}
            {{- include "fluss.secretEnv" (dict "name" "FLUSS_JAAS_INTERNAL_PASSWORD" "secret" .name "key" .passwordKey) | nindent 12 }}
            {{- end }}
            {{- with $security.zookeeper.sasl.plain.existingSecret }}
            {{- include "fluss.secretEnv" (dict "name" "FLUSS_JAAS_ZOOKEEPER_USERNAME" "secret" .name "key" .usernameKey) | nindent 12 }}
            {{- include "fluss.secretEnv" (dict "name" "FLUSS_JAAS_ZOOKEEPER_PASSWORD" "secret" .name "key" .passwordKey) | nindent 12 }}
            {{- end }}
            {{- if include "fluss.since1.0" $root }}
            {{- range $root.Values.secrets.env }}
            {{- include "fluss.secretEnv" (dict "name" .name "secret" .secretName "key" .key) | nindent 12 }}
            {{- end }}
            {{- end }}
            {{- with $own.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- with index $root.Values.resources (printf "%sServer" .component) }}
          resources: {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- with $own.readinessProbe }}
          {{- if include "fluss.since1.0" $root }}
          readinessProbe:
            exec:
              command: [/bin/bash, -c, {{ printf "bin/health.sh \"%s\"" .healthCheckAuth | quote }}]
            failureThreshold: {{ .failureThreshold }}
            periodSeconds: {{ .periodSeconds }}
            timeoutSeconds: {{ .timeoutSeconds }}
            initialDelaySeconds: {{ .initialDelaySeconds }}
          {{- end }}
          {{- end }}
          volumeMounts:
            - {name: fluss-conf, mountPath: /opt/conf}
            - {name: data, mountPath: /tmp/fluss/data}
            {{- with $own.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: fluss-conf
          configMap: {name: fluss-conf-file}
        {{- if not $own.storage.enabled }}
        - name: data
          emptyDir: {}
        {{- end }}
        {{- with $own.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  {{- if $own.storage.enabled }}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $own.storage.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: {requests: {storage: {{ $own.storage.size }}}}
  {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}-hs
  labels: {{- include "fluss.labels" . | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{- include "fluss.labels" . | nindent 4 }}
  ports:
    - {name: internal, port: {{ $root.Values.listeners.internal.port }}}
    - {name: client, port: {{ $root.Values.listeners.client.port }}}
{{- if contains "prometheus" $root.Values.metrics.reporters }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $root.Release.Name }}-{{ $name }}-metrics-hs
  labels: {{- include "fluss.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector: {{- include "fluss.labels" . | nindent 4 }}
  ports:
    - {name: metrics, port: {{ $root.Values.metrics.prometheus.port }}}
{{- end }}
{{- if $own.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
spec:
  {{- if hasKey $own.podDisruptionBudget "minAvailable" }}
  minAvailable: {{ $own.podDisruptionBudget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ $own.podDisruptionBudget.maxUnavailable }}
  {{- end }}
  selector:
    matchLabels: {{- include "fluss.labels" . | nindent 6 }}
{{- end }}
{{- end }}
