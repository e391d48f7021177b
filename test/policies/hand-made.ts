/** A lakehouse of plain resources, as people make it from the manuals, which keeps every rule. */
import type { PlannedResource } from "../../policies/index.ts";
import { flussValues, lake, lakekeeperValues } from "./hand-made-charts.ts";

const bootstrap = "coordinator-server-0.coordinator-server-hs.fluss.svc.cluster.local:9124";
const clientJars = [
    "s3i://artifacts/fluss-fs-s3-0.9.1-vv-1.jar",
    "s3i://artifacts/fluss-flink-1.20-1.0.0-vv-3.jar",
    "s3i://artifacts/fluss-lake-iceberg-1.0.0-vv-3.jar",
    "s3i://artifacts/iceberg-flink-runtime-1.20-1.10.1.jar",
];
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const connection = { url: "https://vvp.example.com" };
const login = `'client.security.protocol' = 'sasl', 'client.security.sasl.mechanism' = 'PLAIN',
    'client.security.sasl.username' = 'fluss', 'client.security.sasl.password' = '\${secret_values.fluss-password}'`;

const createCatalog = `CREATE CATALOG \`desk\` WITH ('type' = 'fluss', 'bootstrap.servers' = '${bootstrap}', ${login},
    'iceberg.token' = '\${secret_values.fluss-iceberg-token}')`;
const createTable = `-- The trades; a comment with a 'quote
CREATE TABLE IF NOT EXISTS \`desk\`.\`finance\`.\`trades\` (
    \`trade_id\` BIGINT,
    \`symbol\` STRING
) WITH ('bucket.num' = '3', 'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '30s')`;
const readLake = `CREATE TEMPORARY TABLE counts (\`rows\` BIGINT) WITH ('connector' = 'print');
INSERT INTO counts SELECT COUNT(*) FROM \`desk\`.\`finance\`.\`trades$lake\`;`;
const readTrades = `CREATE TEMPORARY TABLE trades_print (\`trade_id\` BIGINT) WITH ('connector' = 'print');
INSERT INTO trades_print SELECT \`trade_id\` FROM \`desk\`.\`finance\`.\`trades\` /*+ OPTIONS('scan.startup.mode' = 'earliest') */;`;

/** The tiering job on the Flink operator, without the mistakes of the manual's manifest. */
const flinkTiering = {
    apiVersion: "flink.apache.org/v1beta1",
    kind: "FlinkDeployment",
    metadata: { name: "fluss-tiering", namespace: "fluss" },
    spec: {
        image: "flink:1.20",
        flinkVersion: "v1_20",
        mode: "native",
        serviceAccount: "flink",
        flinkConfiguration: { "taskmanager.memory.jvm-metaspace.size": "512m" },
        podTemplate: {
            spec: {
                containers: [
                    {
                        name: "flink-main-container",
                        env: [{ name: "HADOOP_CLASSPATH", value: "/opt/flink/hadoop-conf" }],
                        envFrom: [{ secretRef: { name: "fluss-tiering-secrets" } }],
                        volumeMounts: [{ name: "jars", mountPath: "/opt/flink/lib/fluss", subPath: "lib" }],
                    },
                ],
            },
        },
        job: {
            jarURI: "local:///opt/flink/usrlib/fluss-flink-tiering-1.0.0-vv-3.jar",
            upgradeMode: "stateless",
            args: [
                "--fluss.bootstrap.servers",
                bootstrap,
                "--fluss.client.security.protocol",
                "SASL",
                "--fluss.client.security.sasl.mechanism",
                "PLAIN",
                "--fluss.client.security.sasl.username",
                "fluss",
                "--fluss.client.security.sasl.password",
                "${env:FLUSS_PASSWORD}",
                ...Object.entries(lake).flatMap(([key, value]) => [`--${key}`, value]),
                "--config.providers",
                "env",
                "--config.providers.env.param.allowlist.pattern",
                "FLUSS_PASSWORD|FLUSS_DATALAKE_ICEBERG_TOKEN",
            ],
        },
    },
};

/** A read of the lake by the platform's operator. */
const operatorRead = {
    apiVersion: "ververica.platform/v1",
    kind: "VvpDeployment",
    metadata: {
        name: "count-trades",
        labels: { "ververica.platform/owner": "operator-1" },
        annotations: { apikeySecretName: "vvp-token" },
    },
    spec: {
        syncingMode: "PATCH",
        deployment: {
            metadata: { name: "count-trades", namespace: "default" },
            spec: {
                state: "RUNNING",
                deploymentTargetName: "desk-target",
                template: {
                    spec: {
                        artifact: {
                            kind: "SQLSCRIPT",
                            sqlScript: readLake,
                            additionalDependencies: clientJars,
                        },
                        engineVersionName: engineVersion,
                        batchMode: true,
                        flinkConfiguration: { "restart-strategy.type": "none" },
                    },
                },
            },
        },
    },
};

const policy = (...statements: object[]) => JSON.stringify({ Version: "2012-10-17", Statement: statements });

/** The whole plan. */
export function handMade(): PlannedResource[] {
    return [
        ...bucket("remote", "acme-remote"),
        ...bucket("lake", "acme-lake"),
        made("aws:s3/bucketVersioning:BucketVersioning", "lake-versioning", {
            bucket: "acme-lake",
            versioningConfiguration: { status: "Enabled" },
        }),
        made("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration", "lake-lifecycle", {
            bucket: "acme-lake",
            rules: [{ id: "former", status: "Enabled", noncurrentVersionExpiration: { noncurrentDays: 7 } }],
        }),
        made("aws:iam/userPolicy:UserPolicy", "desk-policy", {
            policy: policy({
                Effect: "Allow",
                Action: ["s3:GetObject"],
                Resource: "arn:aws:s3:::acme-lake/*",
            }),
        }),
        made("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "platform-policy", {
            role: "vvp",
            policyArn: "arn:aws:iam::123456789012:policy/desk-lake",
        }),
        made("aws:ec2/securityGroup:SecurityGroup", "fluss-firewall", {
            ingress: [
                { protocol: "tcp", fromPort: 9124, toPort: 9125, cidrBlocks: ["10.0.0.0/8"] },
                { protocol: "tcp", fromPort: 443, toPort: 443, cidrBlocks: ["0.0.0.0/0"] },
            ],
        }),
        made("kubernetes:helm.sh/v3:Release", "fluss", {
            chart: "oci://registry.ververica.cloud/platform-charts/fluss-bundle",
            version: "1.0.0-vv-3",
            namespace: "fluss",
            values: flussValues,
        }),
        made("kubernetes:helm.sh/v3:Release", "lakekeeper", {
            chart: "lakekeeper",
            version: "0.12.0",
            namespace: "fluss",
            values: lakekeeperValues,
        }),
        made("kubernetes:networking.k8s.io/v1:NetworkPolicy", "fluss-policy", {
            spec: {
                podSelector: { matchLabels: { "app.kubernetes.io/name": "fluss" } },
                policyTypes: ["Ingress"],
                ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ protocol: "TCP", port: 9124 }] }],
            },
        }),
        made("kubernetes:networking.k8s.io/v1:Ingress", "console", {
            spec: {
                rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "vvp-gateway" } } }] } }],
                tls: [{ secretName: "acme" }],
            },
        }),
        made("kubernetes:core/v1:Service", "gateway", {
            metadata: { annotations: { "service.beta.kubernetes.io/aws-load-balancer-internal": "true" } },
            spec: { type: "LoadBalancer", ports: [{ port: 8083 }] },
        }),
        made("kubernetes:core/v1:ConfigMap", "core-site", {
            data: {
                "core-site.xml":
                    "<configuration>\n<property><name>fs.s3a.endpoint.region</name><value>eu-central-1</value></property>\n</configuration>",
            },
        }),
        made("kubernetes:core/v1:Secret", "storage-credentials", {
            stringData: { "s3-access-key": "AKIAIOSFODNN7EXAMPLE", "s3-secret-key": "wJalrXUtnFEMI" },
        }),
        made("kubernetes:apps/v1:Deployment", "reporter", {
            spec: {
                template: {
                    spec: {
                        containers: [
                            {
                                name: "reporter",
                                env: [
                                    {
                                        name: "FLUSS_PASSWORD",
                                        valueFrom: { secretKeyRef: { name: "fluss", key: "password" } },
                                    },
                                ],
                            },
                        ],
                    },
                },
            },
        }),
        made("kubernetes:rbac.authorization.k8s.io/v1:Role", "jobs", {
            rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "create"] }],
        }),
        {
            ...made("kubernetes:core/v1:PersistentVolumeClaim", "savepoints", {
                spec: { resources: { requests: { storage: "50Gi" } } },
            }),
            protect: true,
        },
        made("kubernetes:flink.apache.org/v1beta1:FlinkDeployment", "tiering", flinkTiering),
        made("kubernetes:ververica.platform/v1:VvpDeployment", "lake-read", operatorRead),
        made("pulumi-nodejs:dynamic/lakekeeper:Warehouse", "warehouse", {
            connection: { url: "http://fluss-lakekeeper.fluss.svc.cluster.local:8181" },
            name: "fluss",
            storage: {
                type: "s3",
                bucket: "acme-lake",
                keyPrefix: "fluss-lake-storage",
                region: "eu-central-1",
            },
            credential: {
                type: "s3-access-key",
                accessKeyId: "AKIAIOSFODNN7EXAMPLE",
                secretAccessKey: "wJalrXUtnFEMI",
            },
        }),
        vvp("ApiToken", "ci-token", { name: "ci", role: "editor", expireTime: "2027-01-31T00:00:00Z" }),
        vvp("DeploymentTarget", "target", { name: "desk-target", kubernetesNamespace: "vvp-jobs" }),
        vvp("SecretValue", "password", { name: "fluss-password", value: "kZ4vQp81" }),
        vvp("SecretValue", "token", {
            name: "fluss-iceberg-token",
            value: "eyJhbGciOiJSUzI1.eyJzdWIiOiJmbHV.c2lnbmF0dXJl",
        }),
        vvp("SessionCluster", "session", {
            name: "desk-session",
            deploymentTarget: "desk-target",
            engineVersion,
            numberOfTaskManagers: 1,
            flinkConfiguration: {
                "taskmanager.memory.jvm-metaspace.size": "512m",
                "taskmanager.numberOfTaskSlots": "16",
            },
        }),
        vvp("SqlScript", "make-tables", {
            engineVersion,
            statements: [createCatalog, "CREATE DATABASE IF NOT EXISTS `desk`.`finance`", createTable],
            additionalDependencies: clientJars,
        }),
        vvp("Draft", "look", {
            name: "look",
            engineVersion,
            sqlScript: readLake,
            additionalDependencies: clientJars,
        }),
        vvp("Deployment", "enrich", {
            name: "enrich",
            sessionCluster: "desk-session",
            engineVersion,
            executionMode: "STREAMING",
            sqlScript: readTrades,
            additionalDependencies: clientJars,
            flinkConf: {},
        }),
        made("pulumi-nodejs:dynamic/flink:SqlJob", "session-job", {
            cluster: { url: "http://flink-jobmanager.flink.svc.cluster.local:8081" },
            gateway: { url: "http://flink-gateway.flink.svc.cluster.local:8083" },
            name: "session-job",
            catalogs: [{ name: "desk", options: { "client.security.sasl.password": "kZ4vQp81" } }],
            sql: "INSERT INTO `desk`.`finance`.`trades` SELECT `trade_id`, `symbol` FROM `default_catalog`.`default_database`.`feed`",
        }),
        vvp("Deployment", "java-job", {
            name: "java-job",
            deploymentTarget: "desk-target",
            engineVersion,
            executionMode: "STREAMING",
            jarUri: "s3i://artifacts/desk-1.0.jar",
            mainArgs: "--bootstrap-servers coordinator:9124 --password ${secret_values.fluss-password}",
            additionalDependencies: clientJars.slice(0, 2),
        }),
    ];
}

function bucket(name: string, bucketName: string): PlannedResource[] {
    const blocks = ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"];
    return [
        { ...made("aws:s3/bucket:Bucket", name, { bucket: bucketName }), protect: true },
        made("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", `${name}-blocks`, {
            bucket: bucketName,
            ...Object.fromEntries(blocks.map((block) => [block, true])),
        }),
        made(
            "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
            `${name}-encryption`,
            { bucket: bucketName },
        ),
        made("aws:s3/bucketPolicy:BucketPolicy", `${name}-tls`, {
            bucket: bucketName,
            policy: policy({
                Effect: "Deny",
                Principal: "*",
                Action: "s3:*",
                Resource: `arn:aws:s3:::${bucketName}/*`,
                Condition: { Bool: { "aws:SecureTransport": "false" } },
            }),
        }),
    ];
}

function vvp(kind: string, name: string, props: Record<string, unknown>): PlannedResource {
    return made(`pulumi-nodejs:dynamic/vvp:${kind}`, name, { connection, ...props });
}

function made(type: string, name: string, props: Record<string, unknown>): PlannedResource {
    return { type, name, urn: `urn:${name}`, props, protect: false, dependencies: [] };
}
