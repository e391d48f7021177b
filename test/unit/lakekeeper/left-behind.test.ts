import { expect, it } from "vitest";
import { lakekeeperProviders } from "../../../dynamic-providers/lakekeeper/index.ts";
import { startMemoryCatalog } from "../../../local/simulators/lakekeeper/memory-catalog.ts";
import type { Bag } from "../../lakekeeper/lead.ts";
import { closeLater, startFixture } from "./fixture.ts";

/** What was made must be known to the state, whatever the calls after it meet. */
const { lakekeeperWarehouse, lakekeeperNamespace } = lakekeeperProviders as Required<
    typeof lakekeeperProviders
>;
const refusal = { error: { message: "not now", type: "Forbidden", code: 403, stack: [] } };

it("a warehouse of 0.10, which answers only its id, is kept when it cannot be read afterwards", async () => {
    const fixture = await startFixture({ version: "0.10.4" });
    fixture.simulator.faults.failNext("get_warehouse", 403, refusal);
    const given = {
        connection: fixture.connection,
        name: "w",
        storage: { type: "s3", bucket: "lake", keyPrefix: "p", region: "us-east-1" },
        credential: { type: "s3-access-key", accessKeyId: "a", secretAccessKey: "the-secret-key" },
        deletionProtection: false,
    };
    const { inputs } = await lakekeeperWarehouse!.check(undefined, given);
    const failure: { id?: string; properties?: Bag; message: string } = await lakekeeperWarehouse!
        .create(inputs)
        .catch((error) => error);
    expect(failure.message).toMatch(/'w' was created, but then: .*403 Forbidden/s);
    const { outs } = await lakekeeperWarehouse!.update(failure.id!, failure.properties!, inputs);
    expect(outs["catalogWarehouse"]).toBe("00000000-0000-0000-0000-000000000000/w");
    await lakekeeperWarehouse!.delete(failure.id!, outs);
    expect(fixture.writes().filter((operation) => operation === "create_warehouse")).toHaveLength(1);
});

it("a namespace is not made when its warehouse cannot be read, and is kept when it cannot be protected", async () => {
    const catalog = await startMemoryCatalog();
    closeLater(catalog.close);
    const fixture = await startFixture({ backendUrl: catalog.url });
    const { "warehouse-id": warehouseId } = await fixture.outside("POST", "/management/v1/warehouse", {
        "warehouse-name": "w",
        "storage-profile": {
            type: "s3",
            bucket: "lake",
            "key-prefix": "p",
            region: "r",
            "sts-enabled": false,
        },
    });
    const given = { connection: fixture.connection, warehouseId, namespace: "finance", protected: true };
    const { inputs } = await lakekeeperNamespace!.check(undefined, given);
    fixture.simulator.faults.failNext("get_warehouse", 403, refusal);
    await expect(lakekeeperNamespace!.create(inputs)).rejects.toThrow(/403 Forbidden/);
    expect(catalog.namespaces.size).toBe(0);
    fixture.simulator.faults.failNext("set_namespace_protection", 403, refusal);
    const failure: { id?: string; properties?: Bag; message: string } = await lakekeeperNamespace!
        .create(inputs)
        .catch((error) => error);
    expect(failure.message).toMatch(/'finance' was created, but then: .*403 Forbidden/s);
    await lakekeeperNamespace!.update(failure.id!, failure.properties!, inputs);
    expect(await lakekeeperNamespace!.read(failure.id!, failure.properties!)).toMatchObject({
        props: { protected: true },
    });
});
