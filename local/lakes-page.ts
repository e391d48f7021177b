import { FaultsError } from "../model/faults.ts";
import type { Lake } from "../model/lake.ts";
import { type LakeCombination, lakeCombinations } from "../model/lake-combinations.ts";
import { coreSiteProperties } from "../model/lake-core-site.ts";
import { datalakeOptions, lakeCredentialOptions } from "../model/lake-options.ts";
import { lakeJobFlinkConfiguration } from "../model/tiering.ts";
import { wasRun } from "./lakes-run.ts";

/** The text of docs/lakes.md: what the model says of every combination of catalog, store and keys. */
export function lakesPage(): string {
    const combinations = lakeCombinations();
    const supported = combinations.filter(({ lake }) => lake).length;
    return `${[
        introduction,
        written,
        `## The combinations\n\n${supported} of ${combinations.length} are accepted. A number points to a remark below the table.`,
        ...verdicts(combinations),
        `## What is derived\n\nKeys in the place of values; a key that holds a secret is in italics.`,
        ...combinations.flatMap(derived),
        beforeSubmission,
        corrections,
    ].join("\n\n")}\n`;
}

const introduction = `# Lakes

A lake is a catalog and a store ([lake.ts](../model/lake.ts)). From that one value come the servers' \`datalake.*\` options, the
arguments of the tiering job (the same options), the credentials of a SQL catalog, the Flink options of jobs and
core-site.xml. This page is written by \`npm run docs:lakes\` from the model; a test holds it current.

"yes" says that the model yields a configuration. "Run" marks what \`npm run test:lakes\` runs with the model's own options and
arguments, on Fluss 0.9.1, Flink 1.20, PostgreSQL and an S3 emulator: a table is created and tiered, its rows are read by
Flink's own Iceberg catalog without Fluss, then as \`t$lake\` and together with fresh rows through Fluss. Everything on Azure,
and everything that is said of Fluss 1.0, is from the manuals.

- Where core-site.xml is derived, the servers need it, too: in the folder that their environment variable \`HADOOP_CONF_DIR\`
  names, as the tests do. FlussCluster with a chart makes both: \`coreSite: true\`, and \`lakeCredentials: true\` for every
  secret that is not the token of a catalog.
- The servers' Iceberg plugin needs for a Hadoop catalog on S3: fluss-fs-s3, hadoop-hdfs-client and hadoop-mapreduce-client-core
  beside fluss-lake-iceberg, and no other Hadoop; for a JDBC catalog the PostgreSQL driver.
- A JDBC catalog is named by its class (\`catalog-impl\`), as the model does. With \`type: jdbc\`, which the servers take as well,
  reads of \`t$lake\` fail with: Unknown catalog-type: jdbc.`;

const written = `## How a lake is written

\`defineLake\` of \`pulumi-fluss/model\` checks it, tells all its faults at once and fills the defaults in. \`LakekeeperCatalog.lake(token)\` gives the one of its warehouse.

\`\`\`ts
const token = { secretValue: "fluss-iceberg-token", env: "ICEBERG_TOKEN" };
// Lakekeeper on Amazon S3; the warehouse holds the store's key.
export const lakekeeper = defineLake({
    catalog: {
        type: "rest",
        uri: "http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog",
        warehouse: "fluss",
        auth: { type: "token", token },
    },
    storage: { type: "s3", bucket: "acme-lake", region: "eu-central-1" },
});
// Another REST catalog, such as Polaris, with an OAuth client, on Azure.
export const polaris = defineLake({
    catalog: {
        type: "rest",
        uri: "https://polaris.example.com/api/catalog",
        warehouse: "fluss",
        auth: {
            type: "oauth",
            clientId: "fluss",
            clientSecret: { secretValue: "polaris-credential" },
            scope: "PRINCIPAL_ROLE:ALL",
        },
    },
    storage: { type: "adls", account: "acme", container: "lake" },
});
// A database of PostgreSQL on MinIO: the lake has the store's key itself.
const secrets = pulumi.all([config.requireSecret("databasePassword"), accessKeyId, secretAccessKey]);
export const database = secrets.apply(([password, id, secret]) =>
    defineLake({
        catalog: {
            type: "jdbc",
            name: "fluss_quickstart",
            uri: "jdbc:postgresql://db.example.com:5432/iceberg",
            user: "iceberg",
            password: { value: password },
        },
        storage: {
            type: "s3Compatible",
            endpoint: "http://minio:9000",
            bucket: "lake",
            region: "us-east-1",
            accessKey: { id: { value: id }, secret: { value: secret } },
        },
    }),
);
// Folders without a catalog service, on one machine.
export const folder = defineLake({ catalog: { type: "hadoop" }, storage: { type: "files", folder: "/var/lib/fluss/lake" } });
\`\`\`

| Catalog | Field | Meaning |
|---|---|---|
| \`rest\` | \`uri\` | Base URL of the catalog as servers and jobs reach it, without a login: \`…/catalog\` of Lakekeeper, \`…/api/catalog\` of Polaris |
| | \`warehouse\` | Its name in the catalog, never its location |
| | \`auth\` | \`{ type: "token", token }\`, or \`{ type: "oauth", clientId, clientSecret, scope, oauth2ServerUri }\`; the last one is needed for Lakekeeper, default \`<uri>/v1/oauth/tokens\` |
| | \`vendedCredentials\` | Asks the catalog for store keys. Default \`false\`: the catalog decides |
| | \`fileIo\` | \`native\` (default), or \`hadoop\` for older installations with a core-site.xml |
| \`jdbc\` | \`name\` | Name that the tables are filed under; the Fluss catalog must have the same |
| | \`uri\`, \`user\`, \`password\` | \`jdbc:postgresql://host:5432/database\`, without user, password and parameters in it |
| \`hadoop\` | | Nothing more |

| Store | Field | Meaning |
|---|---|---|
| \`s3\` | \`bucket\`, \`region\` | On AWS |
| \`s3Compatible\` | \`endpoint\`, \`bucket\`, \`region\` | MinIO, Ceph and others; \`us-east-1\` where the store has no regions |
| | \`pathStyle\` | The bucket in the path and not in the host's name. Default \`true\` |
| | \`stsEndpoint\` | Of the store's STS. Default: none |
| both | \`accessKey\` | \`{ id, secret }\`, two secrets. Left out where the catalog has the key |
| \`adls\` | \`account\`, \`container\` | Names alone, without a host |
| | \`accountKey\` | A secret. Left out where the catalog has it |
| all three | \`prefix\` | Folder in the bucket. Default: none. Of a REST catalog the warehouse knows it |
| \`files\` | \`folder\` | Absolute path that all processes share; with \`hadoop\` only |

A secret is an object of names, since each reader has its own: \`value\` is the secret itself (one line), \`secretValue\` the secret value of the platform's namespace that holds it, \`env\` the
environment variable. Give those that its readers need ([which runner needs which](tiering.md)). Of an OAuth client \`value\` is the client secret alone; secret value and variable hold \`id:secret\`.`;

function verdicts(combinations: LakeCombination[]): string[] {
    const remarks: string[] = [];
    const numbered = (text: string) => {
        if (!remarks.includes(text)) remarks.push(text);
        return remarks.indexOf(text) + 1;
    };
    const verdict = ({ lake, refusal }: LakeCombination, texts: string[]) => {
        if (!lake) return `no (${numbered(`Refused: ${refusal}.`)})`;
        const numbers = [...texts.map((text) => `${capital(text)}.`), ...coreSiteRemark(lake)].map(numbered);
        return numbers.length === 0 ? "yes" : `yes (${numbers.join(", ")})`;
    };
    const rows = combinations.map((combination) => {
        const { catalog, storage, keys, warnings } = combination;
        const lines = [
            verdict(combination, warnings["0.9"]),
            wasRun(combination) ? "yes" : "",
            verdict(combination, warnings["1.0"]),
        ];
        const where = storage === "Files" ? "none" : keys ? "in the lake" : "elsewhere";
        return `| ${[catalog, storage, where, ...lines].join(" | ")} |`;
    });
    const head = "| Catalog | Store | Store keys | Fluss 0.9 | Run | Fluss 1.0 |\n|---|---|---|---|---|---|";
    return [[head, ...rows].join("\n"), remarks.map((text, index) => `${index + 1}. ${text}`).join("\n")];
}

/** What keeps jobs on a plain Flink from their files, though servers and VVP may work. */
function coreSiteRemark(lake: Lake): string[] {
    try {
        coreSiteProperties(lake);
        return [];
    } catch (error) {
        if (!(error instanceof FaultsError)) throw error;
        const [{ reason, fix }] = error.faults as [FaultsError["faults"][0]];
        return [`Not for jobs on a plain Flink: ${reason}. ${fix}.`];
    }
}

function derived({ catalog, storage, keys, lake }: LakeCombination): string[] {
    if (!lake) return [];
    const flink = Object.entries(lakeJobFlinkConfiguration(lake));
    const parts = [
        `- Servers and tiering job: ${keyList(datalakeOptions(lake))}`,
        `- SQL catalog: ${keyList(lakeCredentialOptions(lake)) || "nothing"}`,
        ...coreSiteLine(lake),
        ...(flink.length > 0
            ? [`- Flink: ${flink.map(([key, value]) => `\`${key}: ${value}\``).join(", ")}`]
            : []),
    ];
    const keyText = storage === "Files" ? "" : `, ${keys ? "with" : "without"} keys`;
    return [`### ${catalog}, on ${storage}${keyText}\n\n${parts.join("\n")}`];
}

function coreSiteLine(lake: Lake): string[] {
    if (coreSiteRemark(lake).length > 0) return [];
    const properties = coreSiteProperties(lake);
    if (!properties) return [];
    const names = Object.keys(properties).map((key) => `\`${key}\``);
    return [`- core-site.xml on a plain Flink, a secret if it holds keys: ${names.join(", ")}`];
}

function keyList(options: { key: string; value: unknown }[]): string {
    return options
        .map(({ key, value }) => (typeof value === "string" ? `\`${key}\`` : `*\`${key}\`*`))
        .join(", ");
}

function capital(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

const beforeSubmission = `## What is known before a job is submitted

- By the model, in every preview: secrets that the servers' file, the job's arguments or the chart would change (blanks, \`#\`,
  \`{{\`), an OAuth credential with two colons, a warehouse that is a location, keys that nobody gives, and each client JAR that
  is missing or in another version (\`selectJars\`).
- By the resource \`LakeEndpoint\`, which asks the lake: a token that is refused, an OAuth client or scope that is wrong, a warehouse
  that is not there; a JDBC catalog's database, user or password that PostgreSQL refuses; with keys in the lake, a bucket or container that is not there or denied. \`new LakeEndpoint("lake", { lake })\`
  makes one; name it in \`dependsOn\` of the tiering job.
- A Lakekeeper warehouse that the stack makes is tried out by Lakekeeper itself when it is made.

What only the job can find out is explained where it is told (\`lakeTrouble\`): keys that the catalog holds, a
class whose JAR is not on the class path. A tiering job keeps RUNNING then; its exceptions tell, and \`health\` of a tiering component,
which waits until the lake's snapshots move ([tiering](tiering.md#how-it-is-doing)).`;

const corrections = `## Where the manuals are wrong

The examples of "Reading and Writing Apache Fluss" and "Running Lakehouse (Iceberg) Jobs against Fluss" are compared with the
model key by key ([lake-manuals.test.ts](../test/unit/model/lake-manuals.test.ts)). The model differs in these:

- \`fs.s3a.region\` in core-site.xml: Hadoop since 3.3.2 reads fs.s3a.endpoint.region and knows no fs.s3a.region.
- no \`fs.s3.impl\` in core-site.xml: a REST catalog puts its tables at s3://…, and without fs.s3.impl Hadoop says: No FileSystem for scheme "s3" (observed).
- \`$(ICEBERG_REST_CREDENTIAL)\` in the FlinkDeployment: in the operator's native mode nobody expands $(NAME) in the arguments; Fluss 1.0 expands \${env:NAME}.`;
