import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { FlussCluster } from "../../../components/fluss-cluster.ts";
import type { FlussChartArgs } from "../../../components/fluss-cluster-chart.ts";
import { lake } from "../model/fixtures/quickstart.ts";
import { build, failuresOf } from "./harness.ts";

const storage = { type: "s3", bucket: "acme-remote", region: "eu-central-1" } as const;

const chart = (changes: object): FlussChartArgs => ({
    namespace: "fluss",
    access: { kubeconfig: "kubeconfig-text" },
    remote: { storage, accessKeyId: "AKIA", secretAccessKey: "remote-secret" },
    storageClass: "gp3",
    ...changes,
});

/** What the constructor throws, and the names of all that was registered until then. */
async function refused(changes: object): Promise<{ lines: string[]; made: string[] }> {
    const made: string[] = [];
    let lines: string[] = [];
    await build(false, (opts) => {
        const noted = (args: pulumi.ResourceTransformationArgs) => {
            made.push(args.name);
            return undefined;
        };
        try {
            new FlussCluster("desk", { chart: chart(changes) }, { ...opts, transformations: [noted] });
        } catch (error) {
            lines = (error as Error).message.split("\n");
        }
    });
    return { lines, made };
}

const five = {
    settings: { spred: "zone" },
    users: [{ username: "trading" }, { username: "a b" }],
    overrides: { "kv.snapshot.intervall": "5min" },
    tabletServers: 0,
    tabletStorageSize: "20 GB",
};

const fiveLines = [
    "5 faults in FlussCluster desk:",
    '- chart.settings.spred: there is no setting "spred" here. Did you mean spread?',
    '- chart.users[1].username = "a b": a SASL user is named with letters, digits, . _ and - (others break the server\'s JAAS file). Choose a name of that form.',
    '- chart.overrides["kv.snapshot.intervall"]: Fluss has no option kv.snapshot.intervall and would ignore it. Write kv.snapshot.interval.',
    "- chart.tabletServers = 0: must be a whole number, at least 1. Give the number of tablet servers; the chart's is 3.",
    '- chart.tabletStorageSize = "20 GB": must be a quantity of Kubernetes in bytes, like 20Gi. Write a number and at once its unit: Ki, Mi, Gi, Ti, Pi, Ei, or k, M, G, T, P, E.',
];

describe("the faults of a chart", () => {
    it.each([
        ["without a lake", {}],
        ["with a lake", { lake }],
        [
            "with stores that are outputs",
            { lake: pulumi.output(lake), remote: { ...chart({}).remote, storage: pulumi.output(storage) } },
        ],
    ])(
        "come all at once, by the names that the user wrote, before anything is made: %s",
        async (_, known) => {
            expect(await refused({ ...five, ...known })).toEqual({ lines: fiveLines, made: [] });
        },
    );

    it("come with those of stores, users, source and policies, also where the settings are none", async () => {
        const { lines, made } = await refused({
            chart: { kind: "apache", version: "" },
            storageClass: "",
            remote: { ...chart({}).remote, storage: { ...storage, bucket: "B" } },
            overrides: { "remote.data.dir": "s3://other", "security.sasl.enabled.mechanisms": "PLAIN" },
            zookeeperUser: { username: "zoo@keeper", password: "sesame\\" },
            zookeeperStorageSize: "4 Gi",
            settings: { coordinatorStorageSize: "much" },
            users: [],
            networkPolicies: { clientsFrom: ["VVP"] },
        });
        expect(made).toEqual([]);
        expect(lines.slice(1).map((line) => /^- (\S+?)(:| =)/.exec(line)?.[1])).toEqual([
            "chart.chart.version",
            "chart.zookeeperAddress",
            "chart.storageClass",
            "chart.settings.coordinatorStorageSize",
            "chart.users",
            "chart.zookeeperUser.username",
            "chart.zookeeperUser.password",
            "chart.networkPolicies.clientsFrom[0]",
            "chart.remote.storage.bucket",
            'chart.overrides["remote.data.dir"]',
            'chart.overrides["security.sasl.enabled.mechanisms"]',
            "chart.zookeeperStorageSize",
        ]);
        expect(lines.join()).not.toContain("sesame");
    });

    it("blame the number of servers for copies by default, and the override only where it is set", async () => {
        const { lines } = await refused({ tabletServers: 2 });
        expect(lines).toEqual([
            "1 fault in FlussCluster desk:",
            "- chart.tabletServers = 2: 3 copies of each bucket cannot be placed on 2 tablet servers, and no table could be created. Start at least 3, which is the chart's default.replication.factor, or override that option with at most 2.",
        ]);
        const overrides = { "default.replication.factor": 4 };
        expect((await refused({ overrides })).lines[1]).toMatch(
            /^- chart\.overrides\["default\.replication\.factor"\] = 4: .* at least 4 tablet servers\.$/,
        );
        expect(await refused({ tabletServers: 4, overrides })).toMatchObject({ lines: [] });
    });

    it("tell of a name that is there twice, and of the servers' own", async () => {
        const users = [{ username: "trading" }, { username: "trading" }, { username: "fluss-internal" }];
        expect((await refused({ users })).lines.slice(1)).toEqual([
            expect.stringMatching(/^- chart\.users\[1\]\.username = "trading": names "trading" twice/),
            expect.stringMatching(/^- chart\.users\[2\]\.username = "fluss-internal": is the name of the/),
        ]);
    });
});

describe("passwords that JAAS would change", () => {
    const users = (hidden: (text: string) => pulumi.Input<string>) => [
        { username: "trading", password: hidden('ses"ame') },
        { username: "reporting", password: hidden("ses\\ame") },
        { username: "audit", password: hidden("sesame") },
    ];
    const told = [
        '- chart.users[0].password: the password of user "trading" must not be empty',
        '- chart.users[1].password: the password of user "reporting" must not be empty',
    ];

    it("are told in one list with the users' own names", async () => {
        const { lines, made } = await refused({ users: users((text) => text) });
        expect(lines).toEqual(["2 faults in FlussCluster desk:", ...told.map(startsWith)]);
        expect(made).toEqual([]);
        expect(lines.join()).not.toMatch(/ses.ame/);
    });

    it("are told in one list, too, where they are outputs", async () => {
        const failures = await failuresOf(
            (opts) =>
                new FlussCluster(
                    "desk",
                    { chart: chart({ users: users((text) => pulumi.secret(text)) }) },
                    opts,
                ),
        );
        const lists = failures.match(/\d+ faults? in [^:]*/g);
        expect(new Set(lists)).toEqual(new Set(["2 faults in the passwords of FlussCluster desk"]));
        for (const line of told) expect(failures).toContain(line);
        expect(failures).not.toMatch(/ses["\\]ame/);
    });
});

function startsWith(text: string) {
    return expect.stringMatching(new RegExp(`^${text.replaceAll(/[[\]().]/g, "\\$&")}`));
}
