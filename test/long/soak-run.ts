/** Rounds of random valid changes to a lakehouse on simulated servers. */

import { FlussCatalog, FlussDatabase, FlussTable } from "../../dynamic-providers/flink-sql/resources.ts";
import { LakekeeperServer, LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import { LakekeeperRole } from "../../dynamic-providers/lakekeeper/resources-access.ts";
import { VvpDeployment, VvpDeploymentTarget, VvpSecretValue } from "../../dynamic-providers/vvp/resources.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { simulatedFlink, startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import { quickstartEngine } from "../../model/engine-version.ts";
import { testStack } from "../engine/engine.ts";
import { SqlServer, startSqlGateway } from "../faults/sql-server.ts";
import {
    type Change,
    type CommonWish,
    commonChanges,
    commonOutsides,
    Dice,
    makeRounds,
    type Outside,
    removeOne,
} from "./soak-rounds.ts";

const token = "token-of-the-soak";

interface Wish extends CommonWish {
    tables: Record<string, { days: number; columns: string[] }>;
}

const changes: Record<string, Change<Wish>> = {
    ...commonChanges,
    "another parallelism": (wish, dice) => {
        wish.parallelism = (wish.parallelism % 8) + 1 + dice.below(3);
    },
    "one table more": ({ tables }, _, round) => {
        tables[`t${round}`] = { days: 7, columns: [] };
    },
    "one table less": ({ tables }, dice) => removeOne(tables, dice),
    "rows kept longer": ({ tables }, dice) => {
        tables[dice.oneOf(Object.keys(tables))]!.days += 1 + dice.below(5);
    },
};

/**
 * @param rounds how many
 * @param seed of the random changes: the same one makes the same rounds
 * @returns what was surprising; empty when nothing was
 */
export async function soak(rounds: number, seed: number, say: (line: string) => void): Promise<string[]> {
    const dice = new Dice(seed);
    const wish: Wish = {
        secrets: { password: "first-value" },
        parallelism: 1,
        tables: { t0: { days: 7, columns: [] } },
        warehouses: ["w0"],
        roles: { readers: "first" },
    };
    const server = new SqlServer();
    const gateway = await startSqlGateway(server);
    const lakekeeper = await startLakekeeperSimulator({ port: 0, token });
    const vvp = await startVvpSimulator({
        port: 0,
        token,
        flink: simulatedFlink(),
        kubernetesNamespaces: ["jobs"],
        transitionReads: 0,
    });
    const stack = await testStack({
        program: async () =>
            program(wish, { gateway: gateway.url, lakekeeper: lakekeeper.url, vvp: vvp.url }),
        config: { "pulumi-fluss:vvpToken": { value: token, secret: true } },
        env: { VV_API_TOKEN: "" },
    });
    const outsides = {
        ...commonOutsides({ lakekeeper: { url: lakekeeper.url, token }, vvp: { url: vvp.url, token } }),
        ...outsidesOf(server),
    };
    try {
        const surprises = await makeRounds({ stack, wish, changes, outsides }, rounds, dice, say);
        await stack.destroy();
        const left = server.look("SHOW TABLES FROM `c`.`finance`");
        if (left.length > 0) surprises.push(`after the destroy: ${left.join(", ")} stayed`);
        return surprises;
    } finally {
        await stack.dispose();
        await vvp.close();
        await lakekeeper.close();
        await gateway.close();
    }
}

function program(wish: Wish, urls: Record<"gateway" | "lakekeeper" | "vvp", string>): void {
    const connection = { url: urls.vvp };
    const target = new VvpDeploymentTarget("target", { connection, name: "t", kubernetesNamespace: "jobs" });
    for (const [name, value] of Object.entries(wish.secrets))
        new VvpSecretValue(`secret:${name}`, { connection, name, value });
    new VvpDeployment("job", {
        connection,
        name: "job",
        deploymentTarget: target.name,
        engineVersion: quickstartEngine,
        sqlScript: "INSERT INTO a SELECT * FROM b",
        parallelism: wish.parallelism,
        healthySeconds: 0,
    });
    const known = { connection: { url: urls.lakekeeper, token } };
    const lakekeeper = new LakekeeperServer("server", { ...known, acceptTermsOfUse: true });
    const after = { dependsOn: lakekeeper };
    for (const name of wish.warehouses) {
        const storage = { type: "s3" as const, bucket: "lake", keyPrefix: name, region: "us-east-1" };
        const args = { ...known, name, storage, deletionProtection: false, storageWaitSeconds: 0 };
        new LakekeeperWarehouse(`warehouse:${name}`, args, after);
    }
    for (const [name, description] of Object.entries(wish.roles))
        new LakekeeperRole(`role:${name}`, { ...known, name, description }, after);
    const runner = { kind: "gateway", url: urls.gateway } as const;
    const options = { type: "fluss", "bootstrap.servers": "coordinator:9123" };
    const catalog = new FlussCatalog("catalog", { runner, name: "c", options });
    const common = { runner, catalog: { name: "c", options }, deletionProtection: false };
    const database = new FlussDatabase("database", { ...common, name: "finance" }, { dependsOn: catalog });
    for (const [name, { days, columns }] of Object.entries(wish.tables)) {
        const spec = {
            database: "finance",
            name,
            columns: [
                { name: "id", type: "BIGINT" },
                ...columns.map((column) => ({ name: column, type: "STRING" })),
            ],
            options: { "table.log.ttl": `${days}d` },
        };
        const capabilities = { server: "1.0", lake: "none" } as const;
        new FlussTable(`table:${name}`, { ...common, spec, capabilities }, { dependsOn: database });
    }
}

function outsidesOf(server: SqlServer): Record<string, Outside<Wish>> {
    const tableOf = ({ tables }: Wish, dice: Dice) => dice.oneOf(Object.keys(tables));
    const session = new Set(["c"]);
    return {
        "a table dropped": async (wish, dice) => {
            const name = tableOf(wish, dice);
            server.run(`DROP TABLE \`c\`.\`finance\`.\`${name}\``, session);
            return `table:${name}`;
        },
        "a table's option changed": async (wish, dice) => {
            const name = tableOf(wish, dice);
            server.run(
                `ALTER TABLE \`c\`.\`finance\`.\`${name}\` SET (\n    'table.log.ttl' = '1d'\n)`,
                session,
            );
            return `table:${name}`;
        },
    };
}
