import { describe, expect, it, test } from "vitest";
import {
    databaseLeap,
    type LakekeeperSpec,
    lakekeeperRisks,
    lakekeeperSpec,
    refusedLakekeeperChanges,
} from "../../../dynamic-providers/kubernetes/lakekeeper-spec.ts";
import { compareObject, type Manifest } from "../../../dynamic-providers/kubernetes/manifest-drift.ts";

const spec: LakekeeperSpec = {
    version: "0.12.0",
    storage: { size: "5Gi", storageClass: "gp3" },
    authorization: "allowall",
    secretStore: "postgres",
};

const volume = (size: string, storageClass = "gp3") => ({ storage: { size, storageClass } });

describe("a change of a Lakekeeper release", () => {
    test.each<[string, Partial<LakekeeperSpec>, RegExp]>([
        ["a smaller volume", volume("4Gi"), /cannot be made smaller.*"storageChange"/],
        ["another storage class", volume("5Gi", "slow"), /gp3 -> slow.*"storageChange"/],
        [
            "another database",
            { storage: undefined, database: "db:5432/lake" },
            /the chart's own PostgreSQL -> db:5432\/lake: nothing is copied.*"databaseChange"/,
        ],
        ["an older chart", { version: "0.11.9" }, /goes back.*"chartDowngrade"/],
        ["OpenFGA", { authorization: "openfga of the chart" }, /knows no rights.*"authorizationChange"/],
        ["KV2", { secretStore: "kv2 http://vault kv" }, /credentials of all warehouses.*"secretStoreChange"/],
    ])("to %s is refused, and done when it is asked for by its name", (_, change, refusal) => {
        const wanted = lakekeeperSpec.parse({ ...spec, ...change });
        expect(refusedLakekeeperChanges(spec, wanted, [])).toEqual([expect.stringMatching(refusal)]);
        expect(refusedLakekeeperChanges(spec, wanted, lakekeeperRisks)).toEqual([]);
    });

    it("to a larger volume or a newer chart is done", () => {
        expect(refusedLakekeeperChanges(spec, { ...spec, ...volume("6Gi"), version: "0.13.0" }, [])).toEqual(
            [],
        );
    });

    it("lakekeeper-charts#145: from 0.11 to 0.12 is refused whatever is allowed, unless the database is external", () => {
        const old = { ...spec, version: "0.11.0" };
        expect(refusedLakekeeperChanges(old, spec, lakekeeperRisks)).toEqual([
            expect.stringMatching(/0\.11\.0 -> 0\.12\.0.*17 to 18.*Dump the database/),
        ]);
        const outside = { ...spec, storage: undefined, database: "db:5432/lake" };
        expect(refusedLakekeeperChanges({ ...outside, version: "0.11.0" }, outside, [])).toEqual([]);
        expect(databaseLeap("0.12.1", true, spec)).toBeUndefined();
    });
});

describe("drift inside of a release", () => {
    const manifest: Manifest = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "lake", annotations: { a: "1" } } as Manifest["metadata"],
        spec: {
            replicas: 1,
            template: {
                spec: {
                    containers: [
                        {
                            name: "catalog",
                            image: "lake:1",
                            resources: { requests: { cpu: "1000m", memory: "1024Mi" } },
                            env: [
                                { name: "MODE", value: "kv2" },
                                { name: "DB_PASSWORD", value: "in-clear" },
                            ],
                            command: null,
                            volumeMounts: [],
                        },
                    ],
                },
            },
        },
    };
    /** What Kubernetes makes of it: defaults filled in, quantities shortened, nothings left out. */
    const live = () => ({
        ...manifest,
        spec: {
            replicas: 1,
            revisionHistoryLimit: 10,
            template: {
                spec: {
                    containers: [
                        {
                            name: "catalog",
                            image: "lake:1",
                            resources: { requests: { cpu: "1", memory: "1Gi" } },
                            env: [
                                { name: "MODE", value: "kv2" },
                                { name: "DB_PASSWORD", value: "in-clear" },
                            ],
                            terminationMessagePath: "/dev/termination-log",
                        },
                    ],
                },
            },
        },
        status: { replicas: 1 },
    });

    it("is not what Kubernetes itself adds, shortens or leaves out", () => {
        expect(compareObject(manifest, live())).toEqual([]);
    });

    it("is told with its place and both values, apart from what may be a secret", () => {
        const patched = live();
        patched.spec.replicas = 2;
        const [container] = patched.spec.template.spec.containers;
        container!.image = "lake:2";
        container!.env[1]!.value = "changed";
        expect(compareObject(manifest, patched)).toEqual([
            " has another spec.replicas: 2, not 1",
            " has another spec.template.spec.containers.catalog.image: lake:2, not lake:1",
            " has another spec.template.spec.containers.catalog.env.DB_PASSWORD.value",
        ]);
        container!.env.pop();
        expect(compareObject(manifest, patched).join()).not.toContain("in-clear");
    });

    it("is not the number of pods that an autoscaler sets", () => {
        const patched = live();
        patched.spec.replicas = 5;
        expect(compareObject(manifest, patched, true)).toEqual([]);
    });

    it("of a Secret is told without its values", () => {
        const secret: Manifest = {
            kind: "Secret",
            metadata: { name: "s" },
            stringData: { MODE: "kv2", X: "y" },
        };
        const data = {
            MODE: Buffer.from("postgres").toString("base64"),
            X: Buffer.from("y").toString("base64"),
        };
        expect(compareObject(secret, { ...secret, stringData: undefined, data })).toEqual([
            " has another data.MODE",
        ]);
    });
});
