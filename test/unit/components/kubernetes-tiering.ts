import { expect } from "vitest";
import { defineLake } from "../../../model/lake.ts";
import type { Build } from "./harness.ts";

/** A REST catalog whose token is in the environment of the job's pods. */
export const rest = {
    type: "rest",
    uri: "http://catalog:8181/catalog",
    warehouse: "fluss",
    auth: { type: "token", token: { env: "ICEBERG_TOKEN", value: "token-value" } },
} as const;

/** A lake of it whose files Iceberg's own client touches. */
export const native = defineLake({
    catalog: rest,
    storage: { type: "s3", bucket: "lake", region: "eu-central-1" },
});

/** A cluster whose password is there, too. */
export const client = {
    bootstrapServers: "coordinator:9124",
    sasl: { username: "fluss-client", password: { env: "FLUSS_PASSWORD", value: "password-value" } },
};

/** The way to the catalog for whoever looks at its tables from outside. */
const portForward = { access: {}, namespace: "fluss", service: "catalog", port: 8181 };

/** That a table is looked at where that is wanted, and that the object which runs the job is the same without. */
export async function looksAtTable<C extends { progress?: unknown }>(
    make: (args: { health: { table: string; portForward: typeof portForward } }) => Promise<Build<C>>,
    runner: string,
): Promise<void> {
    const { made, component } = await make({ health: { table: "desk.trades", portForward } });
    expect(component.progress).toBeDefined();
    expect(made.get("desk-progress")).toMatchObject({
        parent: "desk",
        inputs: { catalog: native.catalog, table: "desk.trades", trigger: expect.any(String), portForward },
        secrets: expect.arrayContaining(["catalog"]),
    });
    const own = made.get(runner)?.inputs;
    expect(JSON.stringify(own)).not.toMatch(/token-value|health|desk\.trades/);
}
