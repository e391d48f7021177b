import { createHash } from "node:crypto";
import * as z from "zod";
import { type Lake, lakeSchema } from "../../model/lake.ts";
import { lakeOptions } from "../../model/lake-options.ts";
import { renderOptions } from "../../model/secret-ref.ts";
import type { ResourceDefinition } from "../resource.ts";
import { probeAzure } from "./azure-store.ts";
import type { Finding } from "./finding.ts";
import { probeDatabase } from "./jdbc-catalog.ts";
import { probeCatalog } from "./rest-catalog.ts";
import { probeS3 } from "./s3-store.ts";

const inputs = z.strictObject({
    lake: lakeSchema,
    /** Where the storage account's blob service answers, if it is an emulator. */
    azureEndpoint: z.url().optional(),
    /** For each call, in seconds. */
    timeoutSeconds: z.number().positive().max(120).default(10),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** What was found good: `catalog`, `store`. What cannot be reached from here, or asked at all, is not among them. */
    checked: string[];
}

/**
 * A lake that exists: its REST catalog must take the token or the OAuth client and know the warehouse, the database of its JDBC
 * catalog must let the user in, its store must let the lake's own key list, write and delete. The preview only reads. What cannot be reached from here is let through
 * with a warning.
 */
export const lakeEndpoint: ResourceDefinition<Inputs, Outputs> = {
    kind: "lake",
    inputs,
    fields: { lake: "update", azureEndpoint: "update", timeoutSeconds: "ignore" },
    secretInputs: ["lake"],

    async review({ old, new: wanted, known }) {
        if (!known("lake", "azureEndpoint", "timeoutSeconds")) return {};
        const missing = missingValues(wanted.lake);
        if (missing.length > 0) return { faults: missing };
        if (old && JSON.stringify(old.lake) === JSON.stringify(wanted.lake)) return {};
        const { faults, warnings } = sorted(await findings(wanted, false));
        return { faults, warnings };
    },

    create: async (wanted) => ({ id: idOf(wanted.lake), outputs: await check(wanted) }),

    update: (_id, _state, wanted) => check(wanted),

    async read(_id, state) {
        const found = await findings(state, false);
        const { faults, warnings, checked } = sorted(found);
        for (const text of [...faults, ...warnings]) console.warn(`warning: lake: ${text}`);
        return { outputs: { checked } };
    },

    async delete() {
        // It is somebody else's.
    },
};

async function check(wanted: Inputs): Promise<Outputs> {
    const { faults, warnings, checked } = sorted(await findings(wanted, true));
    if (faults.length > 0) throw new Error(faults.join("\n"));
    for (const text of warnings) console.warn(`warning: lake: ${text}`);
    return { checked };
}

async function findings(
    { lake, azureEndpoint, timeoutSeconds }: Inputs,
    write: boolean,
): Promise<[string, Finding][]> {
    const { catalog, storage } = lake;
    const found: Promise<[string, Finding]>[] = [];
    if (catalog.type === "rest") {
        found.push(probeCatalog(catalog, timeoutSeconds).then((finding) => ["catalog", finding]));
    }
    if (catalog.type === "jdbc") {
        found.push(probeDatabase(catalog, timeoutSeconds).then((finding) => ["catalog", finding]));
    }
    if ((storage.type === "s3" || storage.type === "s3Compatible") && storage.accessKey) {
        const probe = probeS3(storage, storage.accessKey, write, timeoutSeconds);
        found.push(probe.then((finding) => ["store", finding]));
    }
    if (storage.type === "adls" && storage.accountKey) {
        const probe = probeAzure(storage, storage.accountKey, write, timeoutSeconds, azureEndpoint);
        found.push(probe.then((finding) => ["store", finding]));
    }
    return Promise.all(found);
}

function sorted(found: [string, Finding][]): { faults: string[]; warnings: string[]; checked: string[] } {
    const texts = (kind: Finding["kind"]) =>
        found.flatMap(([, finding]) => (finding.kind === kind && "text" in finding ? [finding.text] : []));
    return {
        faults: texts("wrong"),
        warnings: [
            ...texts("unreachable").map(
                (text) => `${text}\nIt cannot be reached from here, so it is not checked`,
            ),
            ...texts("unchecked").map((text) => `${text}\nIt is not checked`),
        ],
        checked: found.flatMap(([part, { kind }]) => (kind === "good" ? [part] : [])),
    };
}

/** A secret that is only a name cannot be tried out. */
function missingValues(lake: Lake): string[] {
    const { faults } = renderOptions(lakeOptions(lake), "value");
    return faults.map(({ path, reason, fix }) => `${path}: ${reason}. ${fix}`);
}

function idOf({ catalog, storage }: Lake): string {
    const text = JSON.stringify([
        catalog.type === "hadoop" ? catalog.type : catalog.uri,
        catalog.type === "rest" ? catalog.warehouse : undefined,
        storage.type === "files"
            ? storage.folder
            : storage.type === "adls"
              ? storage.container
              : storage.bucket,
    ]);
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
