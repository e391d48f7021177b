/** Configuration and specifications that are almost right: accepted, or refused with a clear error; never a crash. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flussClientSchema } from "../../../model/fluss-client.ts";
import { serverOptions } from "../../../model/fluss-config.ts";
import { flussHelmValues } from "../../../model/fluss-helm-values.ts";
import {
    catalogOptions,
    createTable,
    defineLake,
    defineReaders,
    FaultsError,
    flinkDeploymentManifest,
    lakekeeperHelmValues,
    parse,
    parseLakehouseOutputs,
    plan,
    tableSpec,
    tieringArguments,
    validateTable,
    vvpDeploymentManifest,
} from "../../../model/index.ts";
import { parseStackConfig } from "../../../model/stack-config.ts";
import { expandLike } from "../../../model/table-like.ts";
import { accounts, trades } from "../../../stacks/quickstart-tables.ts";
import { client, cluster, lake, lakeInput, remote } from "../model/fixtures/quickstart.ts";
import { cases, mutantsOf, unclear } from "./mutants.ts";

const config = {
    awsRegion: "eu-central-1",
    lakekeeperUrl: "http://localhost:8181",
    lakekeeperToken: "token",
    flussBootstrapServers: "coordinator:9124",
    clientUsername: "fluss",
    clientPassword: "sesame",
    vvpUrl: "https://vvp.example.com",
    jobNamespace: "jobs",
    jarsFolder: "jars",
    sampleRows: "true",
    sampleRowsPerSecond: "100",
};

const outputs = {
    contract: 1,
    flussVersion: "1.0.0-vv-3",
    server: "1.0",
    vvp: { connection: { url: "https://vvp" }, deploymentTarget: "t", engineVersion: "e", clientJarUris: [] },
    catalog: "c",
    client,
    lake,
    buckets: { remote: "acme-remote", lake: "acme-lake" },
};

const table = {
    ...trades,
    partitionKeys: ["dt"],
    columns: [...trades.columns, { name: "dt", type: "STRING" }],
    partitions: [{ dt: "1" }],
    computedColumns: [{ name: "double", expression: "`notional` * 2" }],
    watermark: { column: "trade_date", expression: "`trade_date`" },
    custom: { team: "desk" },
};

const everyForm = (name: string) => ({ env: name, secretValue: name, value: `value-of-${name}` });
const withKeys = {
    catalog: { ...lakeInput.catalog, auth: { type: "token", token: everyForm("TOKEN") } },
    storage: { ...remote, accessKey: { id: everyForm("ID"), secret: everyForm("KEY") } },
};
const valued = {
    ...client,
    sasl: { username: "u", password: everyForm("PASSWORD") },
};

const secret = (key: string) => ({ secretName: "s", key });
const chart = {
    release: "1.0.0-vv-3",
    secrets: {
        FLUSS_S3_ACCESS_KEY: secret("id"),
        FLUSS_S3_SECRET_KEY: secret("key"),
        FLUSS_DATALAKE_ICEBERG_TOKEN: secret("token"),
    },
    storageClass: "gp3",
    zookeeper: { username: "fluss" },
};

/** What is tried with an input that is almost right. */
const targets: { kind: string; valid: unknown; take: (input: never) => unknown }[] = [
    { kind: "the stack's configuration", valid: config, take: parseStackConfig },
    {
        kind: "another stack's outputs",
        valid: outputs,
        take: (input) => parseLakehouseOutputs(input, "lakehouse"),
    },
    {
        kind: "a lake and all that is derived from it",
        valid: withKeys,
        take: (input) => {
            const known = defineLake(input);
            const fluss = parse(flussClientSchema, valued, "client");
            catalogOptions("c", fluss, known, "secretValue");
            tieringArguments(known, fluss, "env");
            return defineReaders({ catalog: "c", client: fluss, lake: known });
        },
    },
    {
        kind: "a cluster",
        valid: cluster,
        take: (input) => serverOptions(input, "env"),
    },
    {
        kind: "a table",
        valid: table,
        take: (input) => {
            const spec = parse(tableSpec, expandLike(input), "table");
            const faults = validateTable(spec, { server: "1.0", lake: "iceberg" });
            if (faults.length > 0) throw new FaultsError("table", faults);
            return createTable("c", spec);
        },
    },
    {
        kind: "a changed table",
        valid: { ...accounts },
        take: (input) => {
            const spec = parse(tableSpec, expandLike(input), "table");
            const context = { server: "0.9", lake: "none", catalog: "c", allowDataLoss: [] } as const;
            return plan(accounts, spec, { ...context, withoutLake: false } as never);
        },
    },
    {
        kind: "values of Fluss's chart",
        valid: { remote, lake },
        take: (input) => flussHelmValues({ ...chart, cluster: input }),
    },
    {
        kind: "values of Lakekeeper's chart",
        valid: { storageClass: "gp3" },
        take: (input) => lakekeeperHelmValues(input),
    },
    {
        kind: "a FlinkDeployment",
        valid: { name: "tiering", namespace: "fluss", jarUri: "local:///a.jar" },
        take: (input) => flinkDeploymentManifest(input, [["a.b", "c"]]),
    },
    {
        kind: "a VvpDeployment",
        valid: {
            name: "tiering",
            kubernetesNamespace: "vvp",
            owner: "o",
            apikeySecretName: "t",
            deploymentTarget: "jobs",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            jarUri: "s3i://vvp/a.jar",
            mainArgs: "--a b",
        },
        take: (input) => vvpDeploymentManifest(input),
    },
];

describe(`${cases} inputs of each kind that are almost right`, () => {
    it.each(targets)("$kind", { timeout: 60_000 }, ({ valid, take }) => {
        let accepted = 0;
        fc.assert(
            fc.property(mutantsOf(valid), (input) => {
                try {
                    take(input as never);
                    accepted += 1;
                } catch (error) {
                    const fault = unclear(error);
                    if (fault) throw new Error(fault);
                }
            }),
            { numRuns: cases },
        );
        // Were all of them refused at the door, nothing behind it would be tried.
        expect(accepted).toBeGreaterThan(cases / 1000);
    });
});
