import { describe, expect, it } from "vitest";
import { flinkDeploymentManifest } from "../../../model/flink-deployment.ts";
import { defineLake } from "../../../model/lake.ts";
import { tieringArguments, tieringEnvironment } from "../../../model/tiering.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";

const base = {
    name: "fluss-tiering",
    namespace: "fluss",
    jarUri: "local:///opt/flink/usrlib/fluss-flink-tiering-1.0.0-vv-3.jar",
};
const lake = defineLake({
    catalog: {
        type: "rest",
        uri: "http://catalog:8181/catalog",
        warehouse: "fluss",
        auth: {
            type: "oauth",
            clientId: "id",
            clientSecret: { env: "ICEBERG_REST_CREDENTIAL", value: "hush" },
            scope: "ALL",
        },
        fileIo: "hadoop",
    },
    storage: { type: "s3", bucket: "lake", region: "eu-central-1" },
});
const client = {
    bootstrapServers: "coordinator-server-0.coordinator-server-hs.fluss.svc:9124",
    sasl: { username: "fluss-client", password: { env: "FLUSS_PASSWORD", value: "very-hidden" } },
};

interface Shape {
    mode: string;
    serviceAccount: string;
    imagePullSecrets?: unknown;
    job: { args: string[]; jarURI: string; upgradeMode: string };
    podTemplate: {
        spec: {
            imagePullSecrets: unknown;
            initContainers: { command: string[]; volumeMounts: unknown }[];
            containers: {
                name: string;
                envFrom: unknown;
                env: unknown;
                volumeMounts: { mountPath: string }[];
            }[];
            volumes: unknown[];
        };
    };
}

const manifest = (...args: Parameters<typeof flinkDeploymentManifest>) =>
    flinkDeploymentManifest(...args).spec as unknown as Shape;

describe("a FlinkDeployment", () => {
    const installer = {
        image: "registry.example.com/fluss:1.0.0-vv-3",
        clients: [["lake-iceberg", "--fs", "s3", "--catalog", "rest"], ["lake-tiering-service"]],
    };
    const spec = manifest(
        {
            ...base,
            installer,
            imagePullSecret: "ververica-registry",
            environmentSecret: "tiering-environment",
            coreSiteSecret: "tiering-core-site",
        },
        tieringArguments(lake, client, "env"),
    );

    it("has what seed 002's manifest lacks: a ServiceAccount, and no field that the resource does not have", () => {
        expect(spec.serviceAccount).toBe("flink");
        expect(spec).not.toHaveProperty("imagePullSecrets");
        expect(spec.podTemplate.spec.imagePullSecrets).toEqual([{ name: "ververica-registry" }]);
    });

    it("lays no volume over Flink's own libraries, and has the job's JAR off the class path", () => {
        const [container] = spec.podTemplate.spec.containers;
        expect(container?.name).toBe("flink-main-container");
        expect(container?.volumeMounts).toEqual([
            { name: "fluss-jars", mountPath: "/opt/flink/lib/fluss", subPath: "lib" },
            { name: "fluss-jars", mountPath: "/opt/flink/usrlib", subPath: "usrlib" },
            { name: "core-site", mountPath: "/opt/flink/hadoop-conf", readOnly: true },
        ]);
        expect(spec.podTemplate.spec.initContainers[0]?.command.at(-1)?.split("\n")).toEqual([
            "set -e",
            "mkdir -p /jars/lib /jars/usrlib",
            "/opt/fluss/bin/setup/install.sh client lake-iceberg --fs s3 --catalog rest --output-dir /jars/lib",
            "/opt/fluss/bin/setup/install.sh client lake-tiering-service --output-dir /jars/usrlib",
        ]);
    });

    it("takes keys from Secrets alone", () => {
        const [container] = spec.podTemplate.spec.containers;
        expect(container?.envFrom).toEqual([{ secretRef: { name: "tiering-environment" } }]);
        expect(container?.env).toEqual([{ name: "HADOOP_CLASSPATH", value: "/opt/flink/hadoop-conf" }]);
        expect(spec.podTemplate.spec.volumes).toContainEqual({
            name: "core-site",
            secret: { secretName: "tiering-core-site" },
        });
        expect(JSON.stringify(spec)).not.toMatch(/hush|very-hidden/);
    });

    it("lets the job replace ${env:NAME}, for the variables that it names alone", () => {
        expect(spec.mode).toBe("native");
        expect(spec.job.args).toContain("${env:ICEBERG_REST_CREDENTIAL}");
        const allowed = spec.job.args.indexOf("--config.providers.env.param.allowlist.pattern");
        expect(spec.job.args[allowed + 1]).toBe("FLUSS_PASSWORD|ICEBERG_REST_CREDENTIAL");
    });

    it("lets Kubernetes replace $(NAME) for Fluss 0.9, which it does in standalone mode only", () => {
        const old = manifest(
            { ...base, environmentSecret: "tiering-environment" },
            tieringArguments(lake, client, "podEnv", { version: "0.9" }),
            "environment",
        );
        expect(old.mode).toBe("standalone");
        expect(old.job.args).toContain("$(ICEBERG_REST_CREDENTIAL)");
        expect(old.job.args).not.toContain("--config.providers");
        expect(old.podTemplate.spec).toEqual({
            containers: [
                {
                    name: "flink-main-container",
                    envFrom: [{ secretRef: { name: "tiering-environment" } }],
                },
            ],
        });
    });

    it("refuses markers that nobody replaces", () => {
        const list = tieringArguments(lake, client, "env");
        const paths = pathsOf(() => flinkDeploymentManifest(base, list, "environment"));
        expect(paths).toEqual([
            "args.fluss.client.security.sasl.password",
            "args.datalake.iceberg.credential",
        ]);
        const [fault] = faultsOf(() =>
            flinkDeploymentManifest(base, [["x", "$(FLUSS_PASSWORD)"]], "configProvider"),
        );
        expect(fault).toMatchObject({ path: "args.x", fix: "Write ${env:NAME}" });
    });

    it("names all its faults at once", () => {
        const paths = pathsOf(() =>
            flinkDeploymentManifest(
                {
                    ...base,
                    name: "Fluss_Tiering",
                    jarUri: "local:///opt/flink/lib/tiering.jar",
                    parallelism: 0,
                    taskManager: { memory: "4 GB" },
                },
                [],
            ),
        );
        expect(paths.map((path) => path.split(".").slice(1).join("."))).toEqual([
            "name",
            "jarUri",
            "parallelism",
            "taskManager.memory",
        ]);
    });
});

describe("the environment of a tiering job", () => {
    it("holds each secret under its variable, an OAuth credential as the pair", () => {
        expect(tieringEnvironment(lake, client)).toEqual({
            FLUSS_PASSWORD: "very-hidden",
            ICEBERG_REST_CREDENTIAL: "id:hush",
        });
    });

    it("does not take one variable for two values", () => {
        const sasl = { ...client.sasl, password: { env: "ICEBERG_REST_CREDENTIAL", value: "very-hidden" } };
        expect(pathsOf(() => tieringEnvironment(lake, { ...client, sasl }))).toEqual([
            "lake.catalog.auth.clientSecret.env",
        ]);
    });
});
