import { describe, expect, it, test } from "vitest";
import {
    type ReleaseSpec,
    refusedChanges,
    releaseSpec,
    riskNames,
} from "../../../dynamic-providers/kubernetes/release-spec.ts";
import { bytesOf } from "../../../model/quantity.ts";

const spec: ReleaseSpec = {
    chart: "bundle",
    version: "1.0.0-vv-3",
    tabletServers: 3,
    coordinators: 1,
    replicationFactor: 3,
    tabletStorage: { size: "20Gi", storageClass: "fast" },
    coordinatorStorage: undefined,
    zookeeperStorage: { size: "1Gi", storageClass: "fast" },
    users: ["admin", "client"],
    options: {
        "data.dir": "/opt/fluss/data",
        "remote.data.dir": "s3://remote/fluss",
        "zookeeper.address": "zk:2181",
        "kv.snapshot.interval": "10min",
    },
};

const options = (change: Record<string, string>) => ({ options: { ...spec.options, ...change } });
const tablets = (size: string) => ({ tabletStorage: { size, storageClass: "fast" } });

describe("a change of a Fluss release", () => {
    test.each<[string, Partial<ReleaseSpec>, RegExp]>([
        [
            "another place of the remote data",
            options({ "remote.data.dir": "s3://other/fluss" }),
            /remote\.data\.dir.*"dataMove"/,
        ],
        ["another place on the volume", options({ "data.dir": "/data" }), /data\.dir.*"dataMove"/],
        [
            "another ZooKeeper",
            options({ "zookeeper.address": "other:2181" }),
            /zookeeper\.address.*"dataMove"/,
        ],
        ["another root in ZooKeeper", options({ "zookeeper.path.root": "/f" }), /not set -> \/f.*"dataMove"/],
        ["a smaller volume", tablets("19Gi"), /"storageChange"/],
        ["a smaller volume in another unit", tablets("2e9"), /"storageChange"/],
        ["a smaller volume in thousandths", tablets("20000m"), /"storageChange"/],
    ])("to %s is refused, and done when it is asked for by its name", (_, change, refusal) => {
        const refused = refusedChanges(spec, { ...spec, ...change }, []);
        expect(refused.join("\n")).toMatch(refusal);
        expect(refused).toHaveLength(1);
        expect(refusedChanges(spec, { ...spec, ...change }, riskNames)).toEqual([]);
    });

    it("to another chart of an older release needs both names", () => {
        const wanted = { ...spec, chart: "apache" as const, version: "0.9.1" };
        expect(refusedChanges(spec, wanted, ["chartChange"]).join()).toMatch(/goes back.*"chartDowngrade"/);
        expect(refusedChanges(spec, wanted, ["chartDowngrade"]).join()).toMatch(/metadata.*"chartChange"/);
        expect(refusedChanges(spec, wanted, ["chartChange", "chartDowngrade"])).toEqual([]);
    });

    it.each([tablets("21Gi"), tablets("20480Mi"), options({ "kv.snapshot.interval": "5min" })])(
        "that loses nothing is not refused: %j",
        (change) => expect(refusedChanges(spec, { ...spec, ...change }, [])).toEqual([]),
    );
});

test.each([
    ["20Gi", 20 * 1024 ** 3],
    ["1.5G", 1.5e9],
    ["2e9", 2e9],
    ["20000m", 20],
    ["1024", 1024],
])("%s is a size", (quantity, bytes) => expect(bytesOf(quantity)).toBe(bytes));

test.each(["20GB", "20 Gi", "", "-1Gi", "much"])("a volume of '%s' is a fault of the input", (size) => {
    const { success } = releaseSpec.safeParse({ ...spec, ...tablets(size) });
    expect(success).toBe(false);
});
