import { expect } from "vitest";
import type { TestStack } from "../engine/engine.ts";
import type { TestBed } from "./bed.ts";
import { helmRecord } from "./helm-record.ts";

/** Where a secret of a release may show. */
export interface Places {
    bed: TestBed;
    namespace: string;
    stack: TestStack;
    /** Name of the Helm release, whose record is looked through. */
    release?: string;
    /** Kinds that are among the objects, so that it is known that they were looked through. */
    kinds?: string[];
}

/** No secret stands in any object but Secrets, in Helm's record, or in clear in the state. */
export async function expectHidden(secrets: string[], o: Places): Promise<void> {
    const { bed, namespace, stack, release, kinds = [] } = o;
    const texts = await everyObject(bed, namespace);
    expect([...texts.keys()]).toEqual(expect.arrayContaining(kinds));
    if (release !== undefined) {
        texts.set("Helm's record", JSON.stringify(await helmRecord(bed, namespace, release)));
    }
    texts.set("the state", JSON.stringify(await stack.export()));
    for (const [where, text] of texts) {
        for (const secret of secrets) expect(text.includes(secret), where).toBe(false);
    }
}

/** Every object of the namespace of every kind that can be listed, apart from Secrets, as text by kind. */
async function everyObject(bed: TestBed, namespace: string): Promise<Map<string, string>> {
    const get = (where: string) => bed.get(where) as Promise<unknown>;
    const { groups } = (await get("/apis")) as { groups: { preferredVersion: { groupVersion: string } }[] };
    const bases = [
        "/api/v1",
        ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
    ];
    const found = new Map<string, string>();
    for (const base of bases) {
        const { resources } = (await get(base)) as {
            resources: { name: string; namespaced: boolean; verbs: string[] }[];
        };
        for (const { name, namespaced, verbs } of resources) {
            if (!namespaced || !verbs.includes("list") || name === "secrets") continue;
            const list = await get(`${base}/namespaces/${namespace}/${name}`);
            found.set(`${base} ${name}`, JSON.stringify(list));
        }
    }
    return found;
}
