import * as z from "zod";
import { type Fault, parse, strict } from "./faults.ts";
import { flussVersionOf } from "./fluss-options.ts";
import { catalogSchema } from "./lake-catalog.ts";
import { storageSchema } from "./lake-storage.ts";

/** Schema of {@link Lake}. */
export const lakeSchema = strict({
    format: z.literal("iceberg").default("iceberg"),
    catalog: catalogSchema,
    storage: storageSchema,
}).check(({ value: { catalog, storage }, issues }) => {
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
    if (catalog.type === "jdbc" && observed) {
        warnings.push({
            path: `${path}.catalog.type`,
            value: '"jdbc"',
            reason: "reads of t$lake fail on Fluss 0.9.1 with: Unknown catalog-type: jdbc (observed); tiering and union reads work",
            fix: "Read the table itself, or its lake with another engine, or use a REST catalog",
        });
    }
    if (catalog.type === "hadoop" && storage.type !== "adls" && observed) {
        warnings.push({
            path: `${path}.catalog.type`,
            value: '"hadoop"',
            reason: "Fluss 0.9.1 strips the store's keys, and reads of the lake fail with: No AWS Credentials provided (observed)",
            fix: "Use a REST catalog; whether keys in the core-site.xml of the reading Flink help was not tried",
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
