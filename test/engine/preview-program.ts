import * as pulumi from "@pulumi/pulumi";
import { FlussTables } from "../../components/fluss-tables.ts";
import { VvpDeployment, VvpSecretValue, VvpSessionCluster } from "../../dynamic-providers/vvp/resources.ts";
import type { ColumnSpec, TableSpec } from "../../model/table.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { engineVersion } from "./vvp-platform.ts";

/** What the program of previews declares, in the forms that its changes take. */
export interface Wish {
    /** Value of the secret. */
    password: string;
    /** Adds a column to `trades`, which the servers can. */
    addColumn: boolean;
    /** Changes the type of a column of `accounts`, which they cannot. */
    changeType: boolean;
    /** Keeps the session cluster running, which a policy advises against. */
    keepRunning: boolean;
    /** Changes the definition of the job. */
    parallelism: number;
    /** Whether the tables must not be dropped. */
    deletionProtection: boolean;
}

/** The program before any change. */
export const unchanged: Wish = {
    password: "before-hush-5521",
    addColumn: false,
    changeType: false,
    keepRunning: false,
    parallelism: 1,
    deletionProtection: true,
};

/**
 * Tables, a secret, a session cluster and a job on a platform. The table that may be refused comes last, since a preview
 * ends there.
 */
export function previewProgram(connection: { url: string }, wish: Wish): void {
    const password = new VvpSecretValue("password", {
        connection,
        name: "fluss-password",
        value: pulumi.secret(wish.password),
        restartJobs: "WITH_STATE",
    });
    const session = new VvpSessionCluster("session", {
        connection,
        name: "session",
        deploymentTarget: "target",
        engineVersion,
        state: "STOPPED",
        keepRunning: wish.keepRunning,
    });
    const job = new VvpDeployment("job", {
        connection,
        name: "job",
        deploymentTarget: "target",
        engineVersion,
        sqlScript: `CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen');
CREATE TEMPORARY TABLE nowhere (n INT) WITH ('connector' = 'blackhole');
INSERT INTO nowhere SELECT n FROM numbers;`,
        parallelism: wish.parallelism,
        healthySeconds: 1,
    });
    const tables = (name: string, table: TableSpec, after: pulumi.Resource[]) =>
        new FlussTables(
            name,
            {
                runner: { kind: "vvp", connection, engineVersion },
                catalog: name,
                client: {
                    bootstrapServers: "coordinator:9124",
                    sasl: { username: "u", password: { secretValue: "fluss-password" } },
                },
                tables: [table],
                deletionProtection: wish.deletionProtection,
            },
            { dependsOn: after },
        );
    const email: ColumnSpec = { name: "email", type: "STRING", comment: "it's | `new`" };
    const columns = [...trades.columns, ...(wish.addColumn ? [email] : [])];
    const desk = tables("desk", { ...trades, options: {}, columns }, [password]);
    const retyped = accounts.columns.map((column) =>
        column.name === "balance" && wish.changeType ? { ...column, type: "DOUBLE" } : column,
    );
    tables("archive", { ...accounts, database: "archive", columns: retyped }, [desk, session, job]);
}
