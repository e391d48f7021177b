import type { OutputMap } from "@pulumi/pulumi/automation/index.js";
import { catalogOptions } from "../model/catalog-options.ts";
import { createCatalog } from "../model/ddl.ts";
import { defineLake } from "../model/lake.ts";
import { database } from "../stacks/quickstart-tables.ts";
import type { Born } from "./birth.ts";
import { FlinkRest, SqlGateway } from "./flink/index.ts";
import { localSecrets } from "./lakehouse.ts";
import type { Phases } from "./phases.ts";
import { localCatalog } from "./program.ts";
import { proveRows } from "./proof.ts";
import { flinkUrl, sqlGatewayUrl } from "./services/index.ts";

/** Rows that the lake must hold before the start calls it a success. */
const wantedLakeRows = 100;

/**
 * Reads the sample rows back through the real SQL gateway; returns the rows in the lake.
 * @param brief reads only the lake
 */
export async function readBack(
    phases: Phases,
    born: Born,
    outputs: OutputMap,
    brief: boolean,
): Promise<number> {
    const flink = new FlinkRest(flinkUrl(born.ports));
    const gateway = new SqlGateway(sqlGatewayUrl(born.ports), flink);
    return phases.run("read", "Reading the rows back", () =>
        proveRows(phases, {
            gateway,
            createCatalog: catalogStatement(born, outputs),
            database: `\`${localCatalog}\`.\`${database}\``,
            wantedLakeRows,
            brief,
            deadlineSeconds: 150,
            explain: () => explainTiering(flink),
        }),
    );
}

/**
 * `CREATE CATALOG` for a session of the gateway, secrets in clear.
 * @param outputs of the stack, as `localOutputs` has them
 */
export function catalogStatement({ ports, s3, supervisor }: Born, outputs: OutputMap): string {
    const text = (name: string) => String(outputs[name]?.value);
    const lake = defineLake({
        catalog: {
            type: "rest",
            uri: text("catalogUri"),
            warehouse: text("warehouse"),
            auth: { type: "token", token: { value: localSecrets(supervisor.root).lakekeeperToken } },
        },
        storage: {
            type: "s3Compatible",
            endpoint: s3.endpoint,
            bucket: text("lakeBucket"),
            region: s3.region,
        },
    });
    const client = {
        bootstrapServers: `localhost:${ports.flussCoordinator}`,
        sasl: { username: text("clientUsername"), password: { value: text("clientPassword") } },
    };
    return createCatalog({
        name: localCatalog,
        options: catalogOptions(localCatalog, client, lake, "value"),
    });
}

/** The job's state stays RUNNING when the lake refuses it; its exceptions and its restarts tell. */
async function explainTiering(flink: FlinkRest): Promise<string> {
    const jobs = (await flink.jobs()).filter((job) => job.name === "fluss-quickstart-tiering");
    if (jobs.length === 0) return "there is no job fluss-quickstart-tiering in Flink";
    const lines = await Promise.all(
        jobs.map(async (job) => {
            const [last] = await flink.exceptions(job.id);
            return `job ${job.id}: ${job.state}; last exception: ${last ? `${last.type}: ${last.reason}` : "none"}`;
        }),
    );
    return lines.join("\n");
}
