import * as z from "zod";
import { type Fault, parse, strict } from "./faults.ts";
import { flussVersionOf } from "./fluss-options.ts";
import { catalogSchema } from "./lake-catalog.ts";
import { lakeStorageSchema } from "./lake-storage.ts";

/** Schema of {@link Lake}. */
export const lakeSchema = strict({
    format: z.literal("iceberg").default("iceberg"),
    catalog: catalogSchema,
    storage: lakeStorageSchema,
}).check(({ value: { catalog, storage }, issues }) => {
    if (storage.type === "files") {
        if (catalog.type === "hadoop") return;
        issues.push({
            code: "custom",
            input: storage.type,
            path: ["storage", "type"],
            message: "only a Hadoop catalog keeps its tables in a folder of the machine",
            params: { fix: "Give a store, or a catalog of type hadoop" },
        });
        return;
    }
    // A JDBC catalog vends nothing: whoever touches files needs the store's keys.
    if (catalog.type !== "jdbc") return;
    const [key, given] =
        storage.type === "adls" ? ["accountKey", storage.accountKey] : ["accessKey", storage.accessKey];
    if (given) return;
    issues.push({
        code: "custom",
        input: undefined,
        path: ["storage", key],
        message: "a JDBC catalog hands out no store keys, so the lake needs its own",
        params: { fix: `Give storage.${key}` },
    });
});

/**
 * The lake as one value: the format, the catalog that knows its tables, and the store that holds them. Everything the
 * server, the tiering job, the SQL catalog and the reads are told about the lake is derived from it.
 */
export type Lake = z.output<typeof lakeSchema>;

/** {@link Lake} before defaults are filled in. */
export type LakeInput = z.input<typeof lakeSchema>;

/** The checked lake with its defaults. Throws a `FaultsError` with every fault, with paths that start with `path`. */
export function defineLake(input: LakeInput, path = "lake"): Lake {
    return parse(lakeSchema, input, path);
}

/** A fault for a lake in a folder of one machine, for whatever runs in pods: they do not share it. Other faults of it are told elsewhere. */
export function filesFaults(lake: { storage?: { type?: string } } | undefined, path = "lake"): Fault[] {
    if (lake?.storage?.type !== "files") return [];
    const reason = "the lake is a folder of one machine, which pods do not share";
    return [{ path: `${path}.storage.type`, value: '"files"', reason, fix: "Give a store" }];
}

/**
 * Combinations that the sources doubt or call legacy, or of which a part was seen to fail. `release` is that of Fluss:
 * `1.0.0-vv-3`.
 */
export function lakeWarnings({ catalog, storage }: Lake, release: string, path = "lake"): Fault[] {
    const warnings: Fault[] = [];
    if (catalog.type === "rest" && storage.type === "adls") {
        warnings.push({
            path: `${path}.storage.type`,
            value: '"adls"',
            reason: "the manuals disagree whether a REST catalog on Azure is supported",
            fix: "Try it before you rely on it, or use a JDBC catalog",
        });
    }
    const observed = flussVersionOf(release) === "0.9";
    if (catalog.type === "hadoop" && ["s3", "s3Compatible"].includes(storage.type) && observed) {
        warnings.push({
            path: `${path}.catalog.type`,
            value: '"hadoop"',
            reason: "Fluss 0.9.1 hands no key of the store on: servers, tiering and reads take them from core-site.xml, and fail without with: No AWS Credentials provided (observed)",
            fix: "Put the file of coreSiteXml into the HADOOP_CONF_DIR of the servers and of every Flink, or use a REST catalog",
        });
    }
    if (catalog.type === "hadoop" && !observed) {
        warnings.push({
            path: `${path}.catalog.type`,
            value: '"hadoop"',
            reason: `Fluss ${release} documents REST and JDBC catalogs only`,
            fix: "Use a REST catalog for new lakes",
        });
    }
    return warnings;
}
