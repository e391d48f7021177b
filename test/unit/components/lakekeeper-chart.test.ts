import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { LakekeeperCatalog, type LakekeeperCatalogArgs } from "../../../components/lakekeeper-catalog.ts";
import type { LakekeeperChartArgs } from "../../../components/lakekeeper-catalog-chart.ts";
import { build, failuresOf, type Made, misplaced, resolved } from "./harness.ts";

const storage: LakekeeperCatalogArgs["storage"] = {
    bucket: "acme-lake",
    region: "eu-central-1",
    key: { accessKeyId: pulumi.output("AKIAEXAMPLE"), secretAccessKey: pulumi.secret("secret-key") },
};

const program =
    (chart: Partial<LakekeeperChartArgs>, more: Partial<LakekeeperCatalogArgs> = {}) =>
    (opts: pulumi.ComponentResourceOptions) =>
        new LakekeeperCatalog("lake", { chart: { namespace: "fluss", ...chart }, storage, ...more }, opts);

const make = (chart: Partial<LakekeeperChartArgs> = { storageClass: "gp3" }) => build(false, program(chart));

const external = {
    database: {
        host: "db.example.com",
        user: "lakekeeper",
        password: pulumi.secret("database-in-clear"),
        tls: "verify-full",
    },
    secretStore: {
        url: "http://vault:8200",
        mount: "kv/data/iceberg",
        user: "lakekeeper",
        password: pulumi.secret("vault-in-clear"),
    },
    openFga: { endpoint: "http://openfga:8081", apiKey: pulumi.secret("openfga-in-clear") },
    trustedCertificates: { kind: "secret", name: "authorities", key: "all.pem" },
} satisfies Partial<LakekeeperChartArgs>;

interface Values {
    catalog: {
        extraEnv: { name: string; value?: string; valueFrom?: object }[];
        podAnnotations?: object;
        extraVolumes?: object[];
        extraVolumeMounts?: object[];
        ingress?: object;
    };
    [key: string]: unknown;
}

const valuesOf = (made: Map<string, Made>) => made.get("lake-release")?.inputs.values as Values;

const variable = (made: Map<string, Made>, name: string) => {
    const found = valuesOf(made).catalog.extraEnv.filter((one) => one.name === name);
    expect(found.length).toBeLessThan(2);
    return found[0]?.value ?? found[0]?.valueFrom;
};

const reference = (key: string) => ({ secretKeyRef: { name: "fluss-lakekeeper-credentials", key } });

describe("an installation of the quickstart", () => {
    it("is guarded, then installed, then bootstrapped, then given its warehouse", async () => {
        const { made } = await make();
        expect(misplaced(made, "lake")).toEqual([]);
        expect(made.get("lake-release")?.dependsOn).toEqual(["lake-guard"]);
        expect(made.get("lake-server")?.dependsOn).toEqual(["lake-release"]);
        expect(made.get("lake-warehouse")?.dependsOn).toEqual(["lake-server"]);
        expect(made.get("lake-guard")?.inputs.spec).toEqual({
            version: "0.12.0",
            storage: { size: "5Gi", storageClass: "gp3" },
            authorization: "allowall",
            secretStore: "postgres",
        });
        expect(made.has("lake-credentials")).toBe(false);
    });

    it("keeps its two Secrets for as long as the volume is there", async () => {
        const { made } = await make();
        for (const secret of ["lake-encryption", "lake-database"]) {
            expect(made.get(secret)?.inputs.opens).toEqual({ volumesOf: "fluss-lakekeeper-lakekeeper-pg" });
        }
    });

    it("is reached through a port-forward", async () => {
        const { made } = await make();
        expect(made.get("lake-server")?.inputs.connection).toMatchObject({
            url: "http://fluss-lakekeeper.fluss.svc.cluster.local:8181",
            portForward: { namespace: "fluss", service: "fluss-lakekeeper", port: 8181 },
        });
    });
});

describe("reports of users", () => {
    it("lakekeeper-charts#81, terraform-provider-helm#683, lakekeeper#966: the migration is no hook, since the release is waited for", async () => {
        const { made } = await make();
        expect(valuesOf(made)["helmWait"]).toBe(true);
        expect(made.get("lake-release")?.inputs.skipAwait).toBeUndefined();
        const { made: withOpenFga } = await make({ storageClass: "gp3", openFga: "internal" });
        expect(valuesOf(withOpenFga)["helmWait"]).toBe(true);
        expect(withOpenFga.get("lake-release")?.inputs.timeout).toBe(600);
    });

    it("lakekeeper-charts#145: charts before 0.12 are refused", async () => {
        await expect(make({ storageClass: "gp3", version: "0.11.0" })).rejects.toThrow(
            /does not move its data.*dump/s,
        );
    });

    it("risingwave#23387: one component installs, bootstraps and makes the warehouse", async () => {
        const { made } = await make();
        expect([...made.keys()].filter((name) => /-(release|server|warehouse)$/.test(name))).toEqual([
            "lake-release",
            "lake-server",
            "lake-warehouse",
        ]);
    });

    it("pulumi-kubernetes#205: neither key nor password is left to the chart, which would make them at each rendering", async () => {
        const { made } = await make();
        const values = valuesOf(made);
        expect(values["secretBackend"]).toMatchObject({
            postgres: { encryptionKeySecret: "fluss-lakekeeper-encryption" },
        });
        expect(values["postgresql"]).toMatchObject({
            userDatabase: { existingSecret: "fluss-lakekeeper-database" },
        });
    });

    it("lakekeeper#781: a store with certificates of one's own is trusted", async () => {
        const { made } = await make({
            storageClass: "gp3",
            trustedCertificates: external.trustedCertificates,
        });
        const { catalog } = valuesOf(made);
        expect(catalog.extraVolumes).toEqual([
            {
                name: "trusted-certificates",
                secret: { secretName: "authorities", items: [{ key: "all.pem", path: "ca.crt" }] },
            },
        ]);
        expect(catalog.extraVolumeMounts).toEqual([
            { name: "trusted-certificates", mountPath: "/etc/lakekeeper-certificates", readOnly: true },
        ]);
        expect(variable(made, "SSL_CERT_FILE")).toBe("/etc/lakekeeper-certificates/ca.crt");
        expect(variable(made, "LAKEKEEPER__PG_SSL_ROOT_CERT")).toBeUndefined();
    });

    it("lakekeeper#1193: no issuer and no audience is asked of a token", async () => {
        const { made } = await make();
        expect(valuesOf(made)["auth"]).toEqual({ k8s: { enabled: true, legacyEnabled: true } });
    });

    it("lakekeeper#940, lakekeeper#1339, lakekeeper#1415: authentication and tokens of Secrets go on together", async () => {
        const { made } = await make({ ...external });
        expect(valuesOf(made)["auth"]).toEqual({ k8s: { enabled: true, legacyEnabled: true } });
        expect(made.get("lake-client-token")?.inputs.type).toBe("kubernetes.io/service-account-token");
    });

    it("lakekeeper-charts#78, lakekeeper#1120: the server's own address is left open unless it is asked for", async () => {
        const ingress = { host: "lake.example.com", path: "/lakekeeper" };
        const { made } = await make({ storageClass: "gp3", ingress });
        expect(variable(made, "LAKEKEEPER__BASE_URI")).toBeUndefined();
        const baseUri = "https://lake.example.com/lakekeeper";
        const { made: fixed } = await make({ storageClass: "gp3", ingress, baseUri });
        expect(variable(fixed, "LAKEKEEPER__BASE_URI")).toBe(baseUri);
    });

    it("lakekeeper#1918, lakekeeper-charts#156: KV2 goes around the chart, which leaves kind and mount out", async () => {
        const { made } = await make(external);
        expect(variable(made, "LAKEKEEPER__SECRET_BACKEND")).toBe("kv2");
        expect(variable(made, "LAKEKEEPER__KV2__URL")).toBe("http://vault:8200");
        expect(variable(made, "LAKEKEEPER__KV2__SECRET_MOUNT")).toBe("kv/data/iceberg");
        expect(variable(made, "LAKEKEEPER__KV2__USER")).toEqual(reference("kv2-user"));
        expect(variable(made, "LAKEKEEPER__KV2__PASSWORD")).toEqual(reference("kv2-password"));
    });

    it("lakekeeper#1539, lakekeeper#1155: clients are told the warehouse, without which the catalog gives no configuration", async () => {
        const { component } = await make();
        const { catalog } = await resolved(component.lake({ env: "TOKEN" }));
        expect(catalog).toMatchObject({ type: "rest", uri: component.catalogUri, warehouse: "fluss" });
    });

    it("iceberg-auth-manager#51: the URI of the catalog is whole", async () => {
        const { component } = await make();
        expect(component.catalogUri).toBe("http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog");
    });
});

describe("an external database", () => {
    it("is reached by a Secret's user and password, with the certificate checked", async () => {
        const { made } = await make(external);
        expect(valuesOf(made)["postgresql"]).toEqual({ enabled: false });
        expect(valuesOf(made)["externalDatabase"]).toEqual({
            type: "postgres",
            host_read: "db.example.com",
            host_write: "db.example.com",
            port: 5432,
            database: "lakekeeper",
            userSecret: "fluss-lakekeeper-credentials",
            userSecretKey: "database-user",
            passwordSecret: "fluss-lakekeeper-credentials",
            passwordSecretKey: "database-password",
        });
        expect(variable(made, "LAKEKEEPER__PG_SSL_MODE")).toBe("verify-full");
        expect(variable(made, "LAKEKEEPER__PG_SSL_ROOT_CERT")).toBe("/etc/lakekeeper-certificates/ca.crt");
        expect(made.get("lake-guard")?.inputs.spec).toMatchObject({
            database: "db.example.com:5432/lakekeeper",
            authorization: "openfga http://openfga:8081 lakekeeper",
            secretStore: "kv2 http://vault:8200 kv/data/iceberg",
        });
        expect(made.has("lake-database")).toBe(false);
        expect(made.get("lake-encryption")?.inputs.opens).toBe("elsewhere");
        expect(made.get("lake-release")?.dependsOn).toEqual(["lake-guard", "lake-credentials"]);
    });

    it("no password leaves the Secret, and a new one restarts the server", async () => {
        const { made } = await make(external);
        expect(made.get("lake-credentials")?.secrets).toEqual(["stringData"]);
        expect(made.get("lake-credentials")?.inputs.stringData).toEqual({
            "database-user": "lakekeeper",
            "database-password": "database-in-clear",
            "openfga-key": "openfga-in-clear",
            "kv2-user": "lakekeeper",
            "kv2-password": "vault-in-clear",
        });
        const rest = [...made.values()].filter(({ name }) => name !== "lake-credentials");
        expect(JSON.stringify(rest)).not.toContain("in-clear");
        const other = { ...external, database: { ...external.database, password: "another" } };
        const { made: changed } = await make(other);
        expect(valuesOf(changed).catalog.podAnnotations).not.toEqual(valuesOf(made).catalog.podAnnotations);
    });

    it("beside a storage class, or without both, is refused", async () => {
        await expect(make({ ...external, storageClass: "gp3" })).rejects.toThrow(
            "chart.storageClass: belongs to the chart's own PostgreSQL",
        );
        await expect(make({})).rejects.toThrow(
            "chart.storageClass: is missing, and no external database is given",
        );
    });
});

describe("the faults of the chart", () => {
    const wrong = {
        version: "0.11.0",
        storageSize: "5 GB",
        database: { host: "{{ .Host }}", port: 70_000, user: pulumi.output("u"), password: "in-clear" },
        storageClass: "gp3",
        secretStore: { url: "vault:8200", mount: pulumi.output("kv/data"), user: "u", password: "in-clear" },
        openFga: { endpoint: pulumi.output("http://openfga:8081"), store: "" },
        ingress: { host: "lake.example.com", path: "lakekeeper" },
        baseUri: "lake.example.com",
    };

    it("come all at once, by the names that the user wrote, before anything is made", async () => {
        const made: string[] = [];
        let message = "";
        await build(false, (opts) => {
            const noted = ({ name }: pulumi.ResourceTransformationArgs) => void made.push(name);
            try {
                program(wrong)({ ...opts, transformations: [noted] });
            } catch (error) {
                message = (error as Error).message;
            }
        });
        const [first, ...lines] = message.split("\n");
        expect(first).toBe("9 faults in LakekeeperCatalog lake:");
        expect(lines.map((line) => /^- (\S+?)(:| =)/.exec(line)?.[1])).toEqual([
            "chart.version",
            "chart.database.host",
            "chart.database.port",
            "chart.openFga.store",
            "chart.secretStore.url",
            "chart.ingress.path",
            "chart.baseUri",
            "chart.storageClass",
            "chart.storageSize",
        ]);
        expect(made).toEqual([]);
        expect(message).not.toContain("in-clear");
    });

    it("come with the names, too, where they are known later", async () => {
        const secretStore = { ...wrong.secretStore, url: pulumi.output("vault:8200") };
        const failures = await failuresOf(program({ storageClass: "gp3", secretStore }));
        expect(failures).toContain("1 fault in LakekeeperCatalog lake:\n- chart.secretStore.url");
    });
});

describe("rights by OpenFGA", () => {
    it("come from the chart's own or from one that exists, and the client is made operator", async () => {
        const { made } = await make(external);
        expect(valuesOf(made)["authz"]).toEqual({
            backend: "openfga",
            openfga: { endpoint: "http://openfga:8081" },
        });
        expect(variable(made, "LAKEKEEPER__OPENFGA__API_KEY")).toEqual(reference("openfga-key"));
        expect(made.get("lake-server")?.inputs.isOperator).toBe(true);
        const { made: inside } = await make({ storageClass: "gp3", openFga: "internal" });
        expect(valuesOf(inside)).toMatchObject({ authz: { backend: "openfga" }, internalOpenFGA: true });
    });

    it("hang on a name that the ServiceAccount keeps when it is made anew", async () => {
        const { made } = await make();
        expect(variable(made, "LAKEKEEPER__KUBERNETES_AUTHENTICATION_SUBJECT_SOURCE")).toBe("username");
    });
});

describe("an ingress", () => {
    const ingress = {
        host: "lake.example.com",
        path: "/lakekeeper",
        className: "nginx",
        tlsSecret: "lake-certificate",
        pattern: "/lakekeeper(/|$)(.*)",
        annotations: { "nginx.ingress.kubernetes.io/rewrite-target": "/$2" },
    };

    it("is made, and Pulumi goes that way; Fluss and the jobs stay inside", async () => {
        const { made, component } = await make({ storageClass: "gp3", ingress });
        expect(valuesOf(made).catalog.ingress).toEqual({
            enabled: true,
            host: "lake.example.com",
            path: "/lakekeeper(/|$)(.*)",
            ingressClassName: "nginx",
            annotations: ingress.annotations,
            tls: { enabled: true, secretName: "lake-certificate" },
        });
        expect(made.get("lake-server")?.inputs.connection).toEqual({
            url: "https://lake.example.com/lakekeeper",
            token: expect.anything(),
        });
        expect(component.catalogUri).toBe("http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog");
        expect(component.installed?.externalUrl).toBe("https://lake.example.com/lakekeeper");
    });

    it("is left to others when Pulumi cannot reach it", async () => {
        const { made } = await make({ storageClass: "gp3", ingress: { ...ingress, reach: false } });
        expect(made.get("lake-server")?.inputs.connection).toHaveProperty("portForward");
    });

    it.each(["lakekeeper", "/lakekeeper/", "/"])(
        "in the folder %s is refused, as the chart does too",
        async (path) => {
            const told = await failuresOf(program({ storageClass: "gp3", ingress: { host: "h", path } }));
            expect(told).toContain("chart.ingress.path");
        },
    );
});

it("what does not exist is refused, where the chart would say nothing, and what Helm would take for a template", async () => {
    const tls = "verify" as "require";
    const database = { ...external.database, tls, host: "{{ .Release.Name }}" };
    const told = await failuresOf(program({ ...external, database }));
    expect(told).toMatch(/chart\.database\.tls/);
    expect(told).toMatch(/chart\.database\.host.*contains \{\{/);
});
