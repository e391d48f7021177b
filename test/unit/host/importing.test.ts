import { afterEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { Configuration, configurationFaults } from "../../../host/configuration.ts";
import { importedInputs } from "../../../host/importing.ts";
import { hostedTypes } from "../../../host/types.ts";
import type { Properties } from "../../../host/values.ts";
import { createTable } from "../../../model/ddl.ts";
import { startStubGateway } from "../flink-sql/stub-gateway.ts";
import { accounts } from "../model-table/tables.ts";
import { token } from "../vvp/fake-platform.ts";
import { simulatedPlatform } from "../vvp/simulated-platform.ts";

const types = hostedTypes();
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
    for (const server of closing.splice(0)) await server.close();
});

/** What an import comes to: the inputs that the engine compares the program's with. */
async function imported(
    token: string,
    id: string,
    from?: object,
    settings: Properties = {},
): Promise<object> {
    const type = types.get(token)!;
    const configuration = new Configuration({
        ...settings,
        ...(from && { importFrom: JSON.stringify(from) }),
    });
    await type.hosted.configure({ config: configuration });
    const inputs = await importedInputs(type, id, `urn:pulumi:dev::lake::${token}::mine`, configuration);
    const found = await type.hosted.read(id, inputs);
    expect(found.id, "found").toBe(id);
    return found.inputs!;
}

describe("an import", () => {
    const capabilities = { server: "0.9", lake: "none" };
    const catalog = { name: "c", options: { type: "fluss", "bootstrap.servers": "h:1" } };

    async function gateway() {
        const stub = await startStubGateway((sql) => ({
            rows: sql.startsWith("SHOW CREATE TABLE")
                ? [[createTable("c", accounts)]]
                : [[sql.startsWith("SHOW DATABASES") ? "finance" : "OK"]],
        }));
        closing.push(stub);
        return { fluss: { runner: { kind: "gateway", url: stub.url }, catalog, capabilities } };
    }

    test("of a table reads its spec, against which the same declaration plans to nothing", async () => {
        const inputs = await imported("fluss:fluss:Table", "c.finance.accounts", await gateway());
        const { hosted } = types.get("fluss:fluss:Table")!;
        const declared = { ...(inputs as Properties), spec: accounts as unknown as Properties };
        const checked = await hosted.check(inputs as Properties, declared);
        expect(checked.failures).toEqual([]);
        expect(checked.inputs["plan"]).toBeUndefined();
    });

    test("of a database has its name from the id", async () => {
        expect(await imported("fluss:fluss:Database", "c.finance", await gateway())).toMatchObject({
            name: "finance",
            catalog,
            deletionProtection: true,
        });
    });

    test("of what the platform has by name reads the rest", async () => {
        const platform = await simulatedPlatform();
        closing.push(platform);
        await platform.up(vvpProviders.vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
        const connection = {
            url: platform.simulator.url,
            workspace: "defaultworkspace",
            namespace: "default",
        };
        const from = { vvp: { connection } };
        expect(await imported("fluss:vvp:DeploymentTarget", "t", from, { vvpToken: token })).toMatchObject({
            name: "t",
            kubernetesNamespace: "jobs",
            connection,
        });
    });

    test("says which catalog, and which form an id has", async () => {
        const from = await gateway();
        await expect(imported("fluss:fluss:Table", "d.finance.accounts", from)).rejects.toThrow(
            "the catalog of the id is 'd', and that of fluss:importFrom is 'c'",
        );
        await expect(imported("fluss:fluss:Table", "accounts", from)).rejects.toThrow(
            "its id has the form <catalog>.<database>.<table>",
        );
    });

    test("says what the configuration lacks, and which types cannot be imported", async () => {
        await expect(imported("fluss:fluss:Table", "c.d.t", { fluss: { catalog } })).rejects.toThrow(
            /not known: runner, capabilities.*fluss:importFrom/s,
        );
        await expect(imported("fluss:vvp:SecretValue", "x")).rejects.toThrow(
            /cannot be imported.*adopt: true/s,
        );
    });
});

describe("the provider's settings", () => {
    test("are refused with their names, all at once, and without their values", () => {
        const faults = configurationFaults({ vvpTokn: "hunter2", importFrom: "hunter3", version: "1.0.0" });
        const text = faults.map(({ reason }) => reason).join("\n");
        expect(faults).toHaveLength(2);
        expect(text).toMatch(/vvpTokn: there is no such setting; there are vvpToken, /);
        expect(text).toMatch(/importFrom: must be a JSON object by module/);
        expect(text).not.toContain("hunter");
    });

    test("pass as they should be", () => {
        expect(configurationFaults({ vvpToken: "t", importFrom: '{"vvp": {}}' })).toEqual([]);
    });
});
