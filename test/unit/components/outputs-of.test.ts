import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { outputsOf } from "../../../components/outputs-of.ts";
import { StreamingLakehouse } from "../../../components/streaming-lakehouse.ts";
import { claimForStack, tieringClaim } from "../../../components/tiering-claim.ts";
import type { LakehouseOutputs } from "../../../model/lakehouse-outputs.ts";
import { accounts } from "../../../stacks/quickstart-tables.ts";
import { build, resolved } from "./harness.ts";
import { jarsFolder } from "./jars.ts";

/** What a lakehouse of the quickstart exports. */
async function exported(): Promise<LakehouseOutputs> {
    const { component } = await build(
        false,
        (opts) =>
            new StreamingLakehouse(
                "desk",
                {
                    buckets: { region: "eu-central-1", remoteBucket: "acme-remote", lakeBucket: "acme-lake" },
                    lakekeeper: { url: "http://localhost:8181", token: "hush-token" },
                    fluss: {
                        existing: {
                            bootstrapServers: "coordinator:9124",
                            clientUsername: "u",
                            clientPassword: "hush-sesame",
                        },
                    },
                    flussVersion: "1.0.0-vv-3",
                    vvp: {
                        connection: { url: "https://vvp.example.com", headers: { "x-gate": "hush-gate" } },
                        jobNamespace: "vvp-jobs",
                    },
                    jars: jarsFolder(),
                    tables: [accounts],
                },
                opts,
            ),
    );
    return resolved(component.outputs) as Promise<LakehouseOutputs>;
}

/** Reads outputs of a stack, as the engine would give them. */
async function read(outputs: Record<string, unknown>, secretOutputNames: string[] = []) {
    await pulumi.runtime.setMocks({
        call: ({ inputs }) => inputs,
        newResource: ({ inputs }) => ({
            id: "reference",
            state: { ...inputs, outputs, secretOutputNames },
        }),
    });
    return outputsOf(new pulumi.StackReference("reference", { name: "acme/lake/prod" }));
}

describe("outputs of a lakehouse", () => {
    it("come out of its stack as they went in, without any secret", async () => {
        const lakehouse = await exported();
        expect(lakehouse).toMatchObject({
            contract: 1,
            server: "1.0",
            catalog: "fluss_quickstart",
            vvp: {
                connection: { url: "https://vvp.example.com" },
                deploymentTarget: "fluss-quickstart-target",
            },
            client: { sasl: { username: "u", password: { secretValue: "fluss-password" } } },
            lake: { catalog: { auth: { token: { secretValue: "fluss-iceberg-token" } } } },
            buckets: { remote: "acme-remote", lake: "acme-lake" },
        });
        expect(lakehouse.vvp.clientJarUris.length).toBeGreaterThan(2);
        expect(JSON.stringify(lakehouse)).not.toContain("hush");
        expect(await read({ lakehouse })).toEqual(lakehouse);
    });

    it("keep a program from tiering the other stack's cluster once more, and no other", async () => {
        const lakehouse = await exported();
        expect(lakehouse.tieredBy).toBe("fluss-quickstart-tiering");
        await read({ lakehouse });
        const claim = tieringClaim(new pulumi.ComponentResource("test:index:Job", "twice"), "twice");
        expect(() => claim("coordinator:9124")).toThrow(
            "twice: 'fluss-quickstart-tiering' of stack acme/lake/prod tiers the Fluss cluster coordinator:9124 already",
        );
        claim("other:9124");
        // Of a lakehouse that says nothing of it.
        const { tieredBy: _, ...quiet } = lakehouse;
        await read({ lakehouse: quiet });
        tieringClaim(new pulumi.ComponentResource("test:index:Job", "once"), "once")("coordinator:9124");
    });

    it("are refused when a component of the program, or a third stack, tiers that cluster already", async () => {
        await exported();
        const claim = tieringClaim(new pulumi.ComponentResource("test:index:Job", "first"), "first");
        claim("claimed:9124");
        expect(() => claimForStack("claimed:9124", "'tiering' of stack acme/lake/prod")).toThrow(
            "'tiering' of stack acme/lake/prod: 'first' of this program tiers the Fluss cluster claimed:9124 already",
        );
        const prod = "'tiering' of stack acme/lake/prod";
        claimForStack("shared:9124", prod);
        // Read once more, it is the same job.
        claimForStack("shared:9124", prod);
        expect(() => claimForStack("shared:9124", "'tiering' of stack acme/lake/dev")).toThrow(
            "'tiering' of stack acme/lake/dev: 'tiering' of stack acme/lake/prod tiers the Fluss cluster",
        );
    });

    it("may hold more than this release knows", async () => {
        const lakehouse = await exported();
        const newer = { ...lakehouse, later: 1, vvp: { ...lakehouse.vvp, later: 2 } };
        expect(await read({ lakehouse: newer })).toEqual(lakehouse);
    });

    it("are refused with every fault at once", async () => {
        const { catalog: _, ...lakehouse } = await exported();
        const broken = {
            ...lakehouse,
            contract: 2,
            client: { bootstrapServers: "nowhere", sasl: lakehouse.client.sasl },
            vvp: { ...lakehouse.vvp, clientJarUris: "a.jar" },
        };
        const failure = read({ lakehouse: broken });
        await expect(failure).rejects.toThrow("4 faults in lakehouse of stack acme/lake/prod:");
        for (const path of ["contract", "catalog", "client.bootstrapServers", "vvp.clientJarUris"]) {
            await expect(failure).rejects.toThrow(`- lakehouse of stack acme/lake/prod.${path}`);
        }
    });

    it("that hold a secret in clear are refused, and not shown", async () => {
        const lakehouse = await exported();
        const client = { ...lakehouse.client, sasl: { username: "u", password: { value: "hush-1" } } };
        const failure = read({ lakehouse: { ...lakehouse, client } });
        await expect(failure).rejects.toThrow(/client.*holds a secret in clear/);
        await expect(failure).rejects.not.toThrow(/hush/);
    });

    it("that are not there, or are a secret, say what to do", async () => {
        await expect(read({ other: 1 })).rejects.toThrow(
            /acme\/lake\/prod: it has no output 'lakehouse'.*pulumi up/s,
        );
        await expect(read({ lakehouse: "hush" }, ["lakehouse"])).rejects.toThrow(/is a secret/);
    });
});
