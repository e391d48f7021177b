/** Values of the two charts, as people write them, which keep every rule. */

const catalogUri = "http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog";
/** The lake, as servers and tiering job are told of it. */
export const lake = {
    "datalake.format": "iceberg",
    "datalake.iceberg.type": "rest",
    "datalake.iceberg.uri": catalogUri,
    "datalake.iceberg.warehouse": "fluss",
    "datalake.iceberg.token": "${env:FLUSS_DATALAKE_ICEBERG_TOKEN}",
    "datalake.iceberg.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    "datalake.iceberg.client.region": "eu-central-1",
};

/** Values of the bundle as in the quickstart, with what its manual leaves out for trying. */
export const flussValues = {
    fluss: {
        image: { pullSecrets: ["registry-credentials"] },
        configurationOverrides: {
            "remote.data.dir": "s3://acme-remote/fluss-remote-storage",
            "s3.access.key": "${env:FLUSS_S3_ACCESS_KEY}",
            "s3.secret.key": "${env:FLUSS_S3_SECRET_KEY}",
            "s3.region": "eu-central-1",
            "authorizer.enabled": true,
            "super.users": "User:fluss",
            "datalake.enabled": "true",
            ...lake,
        },
        secrets: {
            env: [
                {
                    name: "FLUSS_S3_ACCESS_KEY",
                    secretName: "fluss-storage-credentials",
                    key: "s3-access-key",
                },
                {
                    name: "FLUSS_S3_SECRET_KEY",
                    secretName: "fluss-storage-credentials",
                    key: "s3-secret-key",
                },
                { name: "FLUSS_DATALAKE_ICEBERG_TOKEN", secretName: "fluss-lake-client-token", key: "token" },
            ],
        },
        tablet: {
            storage: { enabled: true, size: "20Gi", storageClass: "gp3" },
            podAnnotations: { checksum: "1f2e" },
            podDisruptionBudget: { enabled: true, maxUnavailable: 1 },
            extraEnv: [
                {
                    name: "FLUSS_PROBE_PASSWORD",
                    valueFrom: { secretKeyRef: { name: "fluss-sasl-credentials", key: "client-0-password" } },
                },
            ],
            readinessProbe: {
                healthCheckAuth:
                    "client.security.protocol:sasl;client.security.sasl.mechanism:PLAIN;client.security.sasl.username:fluss;client.security.sasl.password:${FLUSS_PROBE_PASSWORD}",
            },
        },
        coordinator: { podAnnotations: { checksum: "1f2e" } },
        security: {
            client: {
                sasl: {
                    mechanism: "plain",
                    plain: { users: [{ existingSecret: { name: "fluss-sasl-credentials" } }] },
                },
            },
            internal: {
                sasl: { mechanism: "plain", plain: { existingSecret: { name: "fluss-sasl-credentials" } } },
            },
            zookeeper: {
                sasl: {
                    mechanism: "plain",
                    plain: { existingSecret: { name: "zookeeper-sasl-credentials" } },
                },
            },
        },
    },
    zookeeper: {
        persistence: { enabled: true, size: "4Gi", dataLogDir: { size: "4Gi" } },
        auth: { client: { enabled: true, existingSecret: "zookeeper-sasl-credentials" } },
    },
};

/** Values of Lakekeeper's chart with an external database and OpenFGA. */
export const lakekeeperValues = {
    helmWait: true,
    secretBackend: { type: "Postgres", postgres: { encryptionKeySecret: "lakekeeper-key" } },
    postgresql: { enabled: false },
    externalDatabase: { host_read: "db.acme", host_write: "db.acme", passwordSecret: "lakekeeper-db" },
    catalog: {
        extraEnv: [{ name: "LAKEKEEPER__PG_SSL_MODE", value: "verify-full" }],
        ingress: {
            enabled: true,
            host: "lakekeeper.acme.example",
            tls: { enabled: true, secretName: "acme" },
        },
    },
    auth: { k8s: { enabled: true } },
    authz: { backend: "openfga" },
};
