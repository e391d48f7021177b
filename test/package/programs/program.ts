// Runs in a project that has installed the package, on Pulumi's mocks: as ESM and, compiled, as CommonJS.
import * as pulumi from "@pulumi/pulumi";
import { FlussTables, type LakehouseOutputs, outputsOf, type TableSpec } from "pulumi-fluss";
import { VvpDeployment } from "pulumi-fluss/dynamic-providers";
import { createTable } from "pulumi-fluss/model";

const spec: TableSpec = { database: "d", name: "t", columns: [{ name: "a", type: "INT" }], options: {} };
// Were a type of the package not found, it would be any, and these lines no error.
// @ts-expect-error a column has a name
const nameless: TableSpec["columns"] = [{ type: "INT" }];
// @ts-expect-error the contract is a number
const contract: LakehouseOutputs["contract"] = "1";

async function main() {
    const made: string[] = [];
    await pulumi.runtime.setMocks({
        call: ({ inputs }) => inputs,
        newResource: ({ type, name, inputs }) => {
            made.push(type);
            return { id: name, state: inputs };
        },
    });
    const connection = { url: "https://vvp.example.com" };
    const tables = new FlussTables("desk", {
        runner: { kind: "vvp", connection },
        catalog: "c",
        client: { bootstrapServers: "h:1" },
        tables: { t: spec },
    });
    // @ts-expect-error there is no such table
    tables.tables.other satisfies undefined;
    const job = new VvpDeployment("job", {
        connection,
        name: "job",
        deploymentTarget: "target",
        engineVersion: "vera-4.5-jdk11-flink-1.20",
        sqlScript: "SELECT 1",
    });
    await Promise.all([job, tables.tables.t].map(({ urn }) => new Promise((done) => urn.apply(done))));
    const same = tables.ddl.t === `${createTable("c", spec)};`;
    console.log(
        JSON.stringify({ same, made: made.sort(), others: [typeof outputsOf, nameless.length, contract] }),
    );
}

main();
