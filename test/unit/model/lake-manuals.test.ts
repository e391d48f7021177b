import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { catalogOptions, readHints } from "../../../model/catalog-options.ts";
import { clientOptions, type FlussClient } from "../../../model/fluss-client.ts";
import { defineLake, type LakeInput } from "../../../model/lake.ts";
import { coreSiteProperties } from "../../../model/lake-core-site.ts";
import type { Storage } from "../../../model/lake-storage.ts";
import { renderOptions } from "../../../model/secret-ref.ts";
import { lakeJobFlinkConfiguration, tieringArguments } from "../../../model/tiering.ts";
import { type Example, type ExampleName, manualExamples } from "./fixtures/lake-manuals.ts";

/** What stands for the manuals' placeholders: the model takes legal values only. */
const placeholders: Record<string, string> = {
    "<BOOTSTRAP_ADDRESS>": "fluss:9124",
    "<COORDINATOR_BOOTSTRAP>": "fluss:9124",
    "<CLIENT_USERNAME>": "writer",
    "<FLUSS_USERNAME>": "writer",
    "<CLIENT_PASSWORD>": "writers-password",
    "<FLUSS_PASSWORD>": "writers-password",
    "<STORAGE_ACCOUNT>": "acme",
    "<CONTAINER>": "lake-container",
    "<S3_ENDPOINT>": "http://noobaa:9000",
    "<S3_REGION>": "eu-central-1",
    "<AWS_REGION>": "eu-central-1",
    "<ACCESS_KEY_ID>": "an-id",
    "<AWS_ACCESS_KEY_ID>": "an-id",
    "<SECRET_ACCESS_KEY>": "a-key",
    "<AWS_SECRET_ACCESS_KEY>": "a-key",
    "<LAKE_BUCKET>": "lake-bucket",
    "<WAREHOUSE_PREFIX>": "warehouse/fluss",
    "<WAREHOUSE_PATH>": "warehouse/fluss",
    "<WAREHOUSE_NAME>": "fluss",
    "<REST_CATALOG_URI>": "http://polaris:8181/api/catalog",
    "<CLIENT_ID>": "an-oauth-client",
    "<CLIENT_SECRET>": "an-oauth-secret",
    "<OAUTH2_SCOPE>": "PRINCIPAL_ROLE:ALL",
};

/** Where a manual is wrong: what the model yields instead, and why. */
const corrections: {
    example: ExampleName;
    /** Key that must not be there; undefined where only something is missing. */
    wrong?: string;
    instead: Record<string, string>;
    why: string;
}[] = [
    {
        example: "coreSite",
        wrong: "fs.s3a.region",
        instead: { "fs.s3a.endpoint.region": "eu-central-1" },
        why: "Hadoop since 3.3.2 reads fs.s3a.endpoint.region and knows no fs.s3a.region",
    },
    {
        example: "coreSite",
        instead: { "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem" },
        why: 'a REST catalog puts its tables at s3://…, and without fs.s3.impl Hadoop says: No FileSystem for scheme "s3" (observed)',
    },
    {
        example: "manifest",
        wrong: "datalake.iceberg.credential",
        instead: {
            "datalake.iceberg.credential": "${env:ICEBERG_REST_CREDENTIAL}",
            "config.providers": "env",
            "config.providers.env.param.allowlist.pattern": "ICEBERG_REST_CREDENTIAL",
        },
        why: "in the operator's native mode nobody expands $(NAME) in the arguments; Fluss 1.0 expands ${env:NAME}",
    },
];

const sasl = {
    username: "writer",
    password: { secretValue: "fluss-password", value: "writers-password" },
};
const client: FlussClient = { bootstrapServers: "fluss:9124", sasl };
const anonymous: FlussClient = { bootstrapServers: "fluss:9124" };
const storeKey = {
    id: { secretValue: "s3-access-key-id", value: "an-id" },
    secret: { secretValue: "s3-secret-access-key", value: "a-key" },
};
const place = { bucket: "lake-bucket", region: "eu-central-1", prefix: "warehouse/fluss" };
const s3 = { type: "s3", ...place, accessKey: storeKey } as const;
const store = { ...s3, type: "s3Compatible", endpoint: "http://noobaa:9000" } as const;
const adls = {
    type: "adls",
    account: "acme",
    container: "lake-container",
    prefix: "warehouse/fluss",
    accountKey: { secretValue: "adls-account-key" },
} as const;
const remote: Storage = {
    ...store,
    pathStyle: true,
    accessKey: {
        id: { secretValue: "store-access-key", value: "an-id" },
        secret: { secretValue: "store-secret-key", value: "a-key" },
    },
};
const rest = { type: "rest", uri: "http://polaris:8181/api/catalog", warehouse: "fluss" } as const;
const token = { type: "token", token: { secretValue: "iceberg-token" } } as const;
const oauth = {
    type: "oauth",
    clientId: "an-oauth-client",
    clientSecret: {
        secretValue: "iceberg-credential",
        value: "an-oauth-secret",
        env: "ICEBERG_REST_CREDENTIAL",
    },
    scope: "PRINCIPAL_ROLE:ALL",
} as const;
const jdbc = {
    type: "jdbc",
    name: "lake",
    uri: "jdbc:postgresql://db:5432/lake",
    user: "iceberg",
    password: { secretValue: "jdbc-password" },
} as const;
const hadoop = { type: "hadoop" } as const;
const polaris: LakeInput = { catalog: { ...rest, auth: oauth, fileIo: "hadoop" }, storage: s3 };

const catalog = (lake: LakeInput) => catalogOptions("lake", client, defineLake(lake), "secretValue");
const tiering = (lake: LakeInput) => Object.fromEntries(tieringArguments(defineLake(lake), client, "value"));

const yielded: Record<ExampleName, () => Record<string, string> | undefined> = {
    catalog: () => catalogOptions("lake", anonymous, undefined, "secretValue"),
    catalogWithSasl: () => catalogOptions("lake", client, undefined, "secretValue"),
    lakekeeper: () => catalog({ catalog: { ...rest, auth: token }, storage: { type: "s3", ...place } }),
    polaris: () => catalog({ catalog: { ...rest, auth: oauth }, storage: s3 }),
    jdbcOnS3: () => catalog({ catalog: jdbc, storage: store }),
    jdbcOnAzure: () => catalog({ catalog: jdbc, storage: adls }),
    jvmOptions: () => lakeJobFlinkConfiguration(defineLake({ catalog: jdbc, storage: store })),
    hintsOfAStore: () => readHints(remote, "secretValue"),
    hintsOnAzure: () => readHints(adls, "secretValue"),
    javaClient: () => Object.fromEntries(renderOptions(clientOptions(client, "sasl"), "value").rendered),
    javaClientOfAStore: () => readHints(remote, "value"),
    tieringHadoopS3: () => tiering({ catalog: hadoop, storage: s3 }),
    tieringHadoopAzure: () => tiering({ catalog: hadoop, storage: adls }),
    tieringHadoopStore: () => tiering({ catalog: hadoop, storage: store }),
    tieringRest: () => tiering(polaris),
    coreSite: () => coreSiteProperties(defineLake(polaris)),
    manifest: () => {
        const bootstrapServers = "coordinator-server-0.coordinator-server-hs.fluss.svc.cluster.local:9124";
        return Object.fromEntries(tieringArguments(defineLake(polaris), { bootstrapServers }, "env"));
    },
};

describe("the manuals' examples, key by key", () => {
    it.each(Object.keys(manualExamples) as ExampleName[])("%s", (name) => {
        const expected: Record<string, string> = filled(manualExamples[name].entries);
        for (const { wrong, instead } of corrections.filter(({ example }) => example === name)) {
            if (wrong !== undefined) expect(expected).toHaveProperty([wrong]);
            delete expected[wrong ?? ""];
            Object.assign(expected, instead);
        }
        expect(yielded[name]()).toEqual(expected);
    });
});

it.each(corrections)("docs/lakes.md tells where $example is wrong: $why", ({ why }) => {
    expect(fs.readFileSync(new URL("../../../docs/lakes.md", import.meta.url), "utf8")).toContain(why);
});

const folder = process.env.PULUMI_FLUSS_SEEDS;

describe.skipIf(!folder)("the text of the manuals", () => {
    it.each(Object.entries<Example>(manualExamples))(
        "says the same of %s",
        (_, { manual, after, entries }) => {
            const file = fs.readdirSync(folder!).find((name) => name.startsWith(`${manual}_`))!;
            expect(read(fs.readFileSync(path.join(folder!, file), "utf8"), after)).toEqual(entries);
        },
    );
});

function filled(entries: Record<string, string>): Record<string, string> {
    const pairs = Object.entries(entries).map(([key, value]): [string, string] => [
        key,
        value.replace(/<[A-Z0-9_]+>/g, (name) => placeholders[name] ?? name),
    ]);
    return Object.fromEntries(pairs);
}

/** The pairs of the first example after a line: numbered lines of SQL, Java, YAML, XML or arguments. */
function read(text: string, after: string): Record<string, string> {
    const start = text.indexOf(after);
    expect(start, `the manual has no line "${after}"`).toBeGreaterThan(-1);
    const lines = text.slice(text.indexOf("\n", start)).split("\n");
    const first = lines.findIndex((line) => line.startsWith("1"));
    const length = lines.slice(first).findIndex((line) => !/^\d/.test(line));
    const code = lines.slice(first, first + length).map((line, index) => line.slice(`${index + 1}`.length));
    const words = code.join("\n").replace(/^\s+- (--\S+)\n\s+- /gm, "$1 ");
    const notations = [
        /'([\w.-]+)'\s*=\s*'([^']*)'/g,
        /setString\("([^"]+)", "([^"]*)"\)/g,
        /--([a-z][\w.-]+) (.+)/g,
        /<name>(.+?)<\/name><value>(.+)<\/value>/g,
        /^(env\.[\w.]+): "(.*)"$/gm,
    ];
    const found = notations.flatMap((notation) =>
        [...words.matchAll(notation)].map(([, key, value]) => [key!, value!]),
    );
    // How a read starts is no setting of the store; --flink-home and its like are the installer's.
    return Object.fromEntries(
        found.filter(([key]) => key !== "scan.startup.mode" && !/^(flink-home|force)$/.test(key!)),
    );
}
