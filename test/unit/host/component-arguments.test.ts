import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { argumentFaults } from "../../../host/components/given.ts";
import { hostedComponents } from "../../../host/components/index.ts";
import { pythonPackage } from "../../../host/python/sdk.ts";
import { packageSchema } from "../../../host/schema.ts";

const components = hostedComponents();

function faults(component: string, args: Record<string, unknown>): string[] {
    const found = argumentFaults(components.get(`fluss:index:${component}`)!.inputs, args);
    return found.map(({ path, reason }) => `${path}: ${reason}`);
}

const storage = {
    bucket: "acme-lake",
    region: "eu-central-1",
    key: { accessKeyId: "i", secretAccessKey: "k" },
};
const lakehouse = {
    buckets: { region: "eu-central-1" },
    lakekeeper: { url: "http://lakekeeper:8181", token: "t" },
    fluss: { chart: { namespace: "fluss", storageClass: "gp3" } },
    flussVersion: "1.0.0-vv-3",
    vvp: { connection: { url: "https://vvp.example.com" }, jobNamespace: "jobs" },
    jars: "jars",
    tables: [],
};

describe("what a component installs in Kubernetes", () => {
    test("passes with everything that its page names", () => {
        const chart = {
            namespace: "lakekeeper",
            openFga: { endpoint: "http://openfga:8081", apiKey: pulumi.secret("k") },
            database: { host: "db", user: "u", password: pulumi.secret("p"), tls: "require" },
            ingress: { host: "lake.example.com", annotations: { "a/b": "c" } },
            access: pulumi.secret({ kubeconfig: "{}" }),
        };
        expect(faults("LakekeeperCatalog", { chart, storage })).toEqual([]);
        const fluss = {
            namespace: pulumi.output("fluss"),
            storageClass: "gp3",
            tabletServers: 3,
            users: [{ username: "fluss" }, { username: "other", password: pulumi.secret("p") }],
            settings: { spread: "zone" },
            networkPolicies: { clientsFrom: ["jobs"] },
            overrides: { "log.segment.file-size": "1gb" },
        };
        const kubernetes = {
            createNamespace: { labels: { team: "lake" } },
            platform: { namespace: "vvp", serviceAccount: "vvp" },
            grant: true,
            networkPolicies: { flussNamespace: "fluss" },
            check: false,
        };
        const whole = { ...lakehouse, fluss: { chart: fluss }, vvp: { ...lakehouse.vvp, kubernetes } };
        expect(faults("StreamingLakehouse", whole)).toEqual([]);
    });

    test("is refused with a name that it does not know, which would else be left out", () => {
        const chart = { namespace: "lakekeeper", open_fga: "internal" };
        expect(faults("LakekeeperCatalog", { chart, storage })).toEqual([
            expect.stringMatching(/^chart\.open_fga: there is no setting/),
        ]);
        const inFluss = { chart: { namespace: "fluss", storageClass: "gp3", tablet_servers: 1 } };
        expect(faults("StreamingLakehouse", { ...lakehouse, fluss: inFluss }).join()).toContain(
            "tablet_servers",
        );
        const vvp = { ...lakehouse.vvp, kubernetes: { network_policies: {} } };
        expect(faults("StreamingLakehouse", { ...lakehouse, vvp })).toEqual([
            expect.stringMatching(/^vvp\.kubernetes\.network_policies: there is no setting/),
        ]);
    });

    test("has a namespace that the program knows", () => {
        const chart = { namespace: pulumi.output("lakekeeper") };
        expect(faults("LakekeeperCatalog", { chart, storage })).toEqual([
            expect.stringMatching(/^chart\.namespace: is an output/),
        ]);
    });

    test("has Python's names in Python", () => {
        const text = pythonPackage(packageSchema(new Map(), components, "1.2.3")).get("components.py");
        for (const [python, name] of [
            ["open_fga", "openFga"],
            ["network_policies", "networkPolicies"],
            ["tablet_servers", "tabletServers"],
            ["create_namespace", "createNamespace"],
        ]) {
            expect(text).toContain(`"${python}": ["${name}", `);
        }
    });
});
