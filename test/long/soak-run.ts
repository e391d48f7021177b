/** Rounds of random valid changes to a lakehouse on simulated servers, and after each the question whether anything surprises. */

import { FlussCatalog, FlussDatabase, FlussTable } from "../../dynamic-providers/flink-sql/resources.ts";
import { LakekeeperServer, LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import { LakekeeperRole } from "../../dynamic-providers/lakekeeper/resources-access.ts";
import { VvpDeployment, VvpDeploymentTarget, VvpSecretValue } from "../../dynamic-providers/vvp/resources.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { simulatedFlink, startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import { quickstartEngine } from "../../model/engine-version.ts";
import { changesOf, type Outcome, testStack } from "../engine/engine.ts";
import { SqlServer, startSqlGateway } from "../faults/sql-server.ts";
import { calledPlatform } from "../platform-call.ts";

const token = "token-of-the-soak";
const v1 = "/api/v1/namespaces/default";

/** What the program declares. Each round changes one thing in it. */
interface Wish {
    secrets: Record<string, string>;
    parallelism: number;
    tables: Record<string, { days: number; columns: string[] }>;
    warehouses: string[];
    roles: Record<string, string>;
}

/** Numbers that look random and are the same for a seed. */
class Dice {
    #state: number;

    constructor(seed: number) {
        this.#state = seed >>> 0;
    }

    /** At least 0 and below `limit`. */
    below(limit: number): number {
        this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((this.#state / 2 ** 32) * limit);
    }

    oneOf<T>(list: readonly T[]): T {
        return list[this.below(list.length)]!;
    }
}

/** The changes that a program can make; each leaves at least one of everything. */
const changes: Record<string, (wish: Wish, dice: Dice, round: number) => void> = {
    "another value of a secret": ({ secrets }, dice, round) => {
        secrets[dice.oneOf(Object.keys(secrets))] = `value-of-round-${round}`;
    },
    "one secret more": ({ secrets }, _, round) => {
        secrets[`secret-${round}`] = `value-of-round-${round}`;
    },
    "one secret less": ({ secrets }, dice) => removeOne(secrets, dice),
    "another parallelism": (wish, dice) => {
        wish.parallelism = (wish.parallelism % 8) + 1 + dice.below(3);
    },
    "one table more": ({ tables }, _, round) => {
        tables[`t${round}`] = { days: 7, columns: [] };
    },
    "one table less": ({ tables }, dice) => removeOne(tables, dice),
    "one column more": ({ tables }, dice, round) => {
        tables[dice.oneOf(Object.keys(tables))]!.columns.push(`c${round}`);
    },
    "rows kept longer": ({ tables }, dice) => {
        tables[dice.oneOf(Object.keys(tables))]!.days += 1 + dice.below(5);
    },
    "one warehouse more": ({ warehouses }, _, round) => void warehouses.push(`w${round}`),
    "one warehouse less": ({ warehouses }) => void (warehouses.length > 1 && warehouses.shift()),
    "another description of a role": ({ roles }, dice, round) => {
        roles[dice.oneOf(Object.keys(roles))] = `as of round ${round}`;
    },
    "one role more": ({ roles }, _, round) => {
        roles[`role-${round}`] = "new";
    },
};

function removeOne(from: Record<string, unknown>, dice: Dice): void {
    const names = Object.keys(from);
    if (names.length > 1) delete from[dice.oneOf(names)];
}

/** What somebody does past the stack; returns the name of the resource that it meets. */
type Outside = (wish: Wish, dice: Dice) => Promise<string>;

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
    const outsides = outsideChanges(server, lakekeeper.url, vvp.url);
    const surprises: string[] = [];
    const touched = (outcome: Outcome) => [...new Set(changesOf(outcome).map(({ name }) => name))].sort();
    const look = (what: string, found: string[], expected: string[]) => {
        if (found.join() === expected.join()) return;
        surprises.push(`${what}: changes of [${found.join(", ")}] instead of [${expected.join(", ")}]`);
    };
    try {
        await stack.up();
        for (let round = 1; round <= rounds; round++) {
            const change = dice.oneOf(Object.keys(changes));
            changes[change]!(wish, dice, round);
            const made = await stack.up();
            look(`round ${round}, ${change}, no-change up`, touched(await stack.up()), []);
            const name = dice.oneOf(Object.keys(outsides));
            const met = await outsides[name]!(wish, dice);
            look(`round ${round}, ${name}, refresh`, touched(await stack.refresh()), [met]);
            look(`round ${round}, ${name}, the up that mends`, touched(await stack.up()), [met]);
            say(
                `round ${round}: ${change} (${touched(made).join(", ") || "nothing to do"}); ${name} (${met})`,
            );
        }
        await stack.destroy();
        const left = server.look("SHOW TABLES FROM `c`.`finance`");
        look("after the destroy", left, []);
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

function outsideChanges(server: SqlServer, lakekeeper: string, vvp: string): Record<string, Outside> {
    // Lakekeeper does not mind the workspace.
    const call = (base: string, method: string, where: string, body?: object) =>
        calledPlatform(base, token, method, where, body);
    const secret = ({ secrets }: Wish, dice: Dice) => dice.oneOf(Object.keys(secrets));
    const table = ({ tables }: Wish, dice: Dice) => dice.oneOf(Object.keys(tables));
    const roleId = async (name: string) => {
        const { roles } = await call(lakekeeper, "GET", "/management/v1/role");
        return (roles as { id: string; name: string }[]).find((role) => role.name === name)?.id ?? "";
    };
    const session = new Set(["c"]);
    return {
        "a secret deleted": async (wish, dice) => {
            const name = secret(wish, dice);
            await call(vvp, "DELETE", `${v1}/secret-values/${name}`);
            return `secret:${name}`;
        },
        "a secret overwritten": async (wish, dice) => {
            const name = secret(wish, dice);
            await call(vvp, "PATCH", `${v1}/secret-values/${name}`, {
                spec: { kind: "PLAIN", value: "foreign" },
            });
            return `secret:${name}`;
        },
        "a table dropped": async (wish, dice) => {
            const name = table(wish, dice);
            server.run(`DROP TABLE \`c\`.\`finance\`.\`${name}\``, session);
            return `table:${name}`;
        },
        "a table's option changed": async (wish, dice) => {
            const name = table(wish, dice);
            server.run(
                `ALTER TABLE \`c\`.\`finance\`.\`${name}\` SET (\n    'table.log.ttl' = '1d'\n)`,
                session,
            );
            return `table:${name}`;
        },
        "a role deleted": async ({ roles }, dice) => {
            const name = dice.oneOf(Object.keys(roles));
            await call(lakekeeper, "DELETE", `/management/v1/role/${await roleId(name)}`);
            return `role:${name}`;
        },
    };
}
