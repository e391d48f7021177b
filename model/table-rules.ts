import { type ColumnType, ColumnTypeError, longestName, parseColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { nearest } from "./nearest.ts";
import { at, listed } from "./table-fault.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

/** Faults of the names of database and table. */
export function nameFaults(spec: TableSpec): Fault[] {
    return [
        ...nameFault(at("database"), spec.database, "databases"),
        ...nameFault(at("name"), spec.name, "tables"),
    ];
}

/** Faults of the name of a database or a table, or of a partition's value: all follow one pattern on the server. */
export function nameFault(
    path: string,
    name: string,
    reservedFor: "databases" | "tables" | "partitions",
): Fault[] {
    const reason =
        name.length > 200
            ? "is longer than the 200 characters that Fluss allows"
            : !/^[A-Za-z0-9_-]*$/.test(name)
              ? "contains one or more characters other than ASCII letters, digits, '_' and '-'"
              : name.startsWith("__")
                ? `starts with '__', which is reserved for internal ${reservedFor}`
                : undefined;
    return reason ? [{ path, value: name, reason, fix: "choose another name" }] : [];
}

/** Faults of the columns on their own: names, types, comments. */
export function columnFaults(spec: TableSpec): Fault[] {
    const faults: Fault[] = [];
    spec.columns.forEach((column, index) => {
        const path = at("columns", index);
        const earlier = spec.columns.slice(0, index).map(({ name }) => name);
        faults.push(...columnNameFaults(`${path}.name`, column.name, earlier));
        faults.push(...typeFaults(`${path}.type`, column.type));
        faults.push(...secretFaults(`${path}.comment`, column.comment));
    });
    faults.push(...secretFaults(at("comment"), spec.comment));
    return faults;
}

/** Faults of the name of a column, stored or computed. `earlier` are the names that are taken. */
export function columnNameFaults(path: string, name: string, earlier: readonly string[]): Fault[] {
    const faults: Fault[] = [];
    if (RESERVED_COLUMNS.includes(name)) {
        const reason = "is a reserved system column of Fluss and cannot be used as a column name";
        faults.push({
            path,
            value: name,
            reason,
            fix: `use another name than ${RESERVED_COLUMNS.join(", ")}`,
        });
    }
    if (/[\r\n]/.test(name)) {
        const reason = "holds a line break, which a name in Flink SQL cannot";
        faults.push({ path, value: JSON.stringify(name), reason, fix: "take it out" });
    }
    if (name.trim() === "") {
        const reason = "is blank, and Flink wants at least one character that is not";
        faults.push({ path, value: JSON.stringify(name), reason, fix: "give the column a name" });
    }
    if (name.length > longestName) {
        const reason = `has ${name.length} characters, and Flink takes ${longestName} at most`;
        faults.push({ path, value: `${name.slice(0, 40)}…`, reason, fix: "give the column a shorter name" });
    }
    if (earlier.includes(name)) {
        const reason = "is the name of an earlier column too";
        faults.push({ path, value: name, reason, fix: "give each column its own name" });
    }
    return faults;
}

/** Faults of primary key, partition keys, bucket key and bucket count. */
export function keyFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    return [
        ...listFaults("primaryKey", spec.primaryKey, spec),
        ...listFaults("partitionKeys", spec.partitionKeys, spec),
        ...listFaults("bucketKey", spec.bucketKey, spec),
        ...nestedKeyFaults("primaryKey", "primary key", spec.primaryKey, types),
        ...nestedKeyFaults("bucketKey", "bucket key", spec.bucketKey, types),
        ...nullableKeyFaults(spec),
        ...partitionFaults(spec, types),
        ...bucketFaults(spec, capabilities),
    ];
}

/** Fault of a text that everyone may read but that names a secret value: the platform would fill the secret in. */
export function secretFaults(path: string, text: string | undefined): Fault[] {
    if (!text?.includes("${secret_values.")) return [];
    return [
        {
            path,
            reason: "refers to a secret value, and everyone who may see the table reads it",
            fix: "keep secrets in the options of the catalog",
        },
    ];
}

/** Columns that Fluss keeps for itself (0.9.1 observed). */
const RESERVED_COLUMNS = [
    "__offset",
    "__timestamp",
    "__bucket",
    "_change_type",
    "_log_offset",
    "_commit_timestamp",
];
const PARTITION_TYPES: readonly string[] = [
    "CHAR",
    "STRING",
    "BOOLEAN",
    "BINARY",
    "BYTES",
    "TINYINT",
    "SMALLINT",
    "INT",
    "DATE",
    "TIME",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
];
const MAX_BUCKETS = { "0.9": 128_000, "1.0": 4096 };

function typeFaults(path: string, text: string): Fault[] {
    try {
        const type = parseColumnType(text);
        if (type.nullable) return [];
        return [
            {
                path,
                value: text,
                reason: "NOT NULL is not part of the type here",
                fix: "leave it out and set nullable: false on the column",
            },
        ];
    } catch (error) {
        if (!(error instanceof ColumnTypeError)) throw error;
        return [{ path, value: text, reason: error.reason, fix: error.fix }];
    }
}

function listFaults(path: string, keys: string[] | undefined, spec: TableSpec): Fault[] {
    const names = spec.columns.map((column) => column.name);
    const faults: Fault[] = [];
    keys?.forEach((key, index) => {
        if (!names.includes(key)) {
            const near = nearest(key, names);
            faults.push({
                path: at(path, index),
                value: key,
                reason: "does not exist in the columns",
                fix: near ? `did you mean ${near}?` : `use one of ${names.join(", ")}`,
            });
        }
        if (keys.indexOf(key) < index) {
            faults.push({
                path: at(path, index),
                value: key,
                reason: "is listed twice",
                fix: "list each column once",
            });
        }
    });
    return faults;
}

function nestedKeyFaults(
    path: string,
    what: string,
    keys: string[] | undefined,
    types: ReadonlyMap<string, ColumnType>,
): Fault[] {
    return (keys ?? []).flatMap((key, index) => {
        const root = types.get(key)?.root;
        if (root !== "ARRAY" && root !== "MAP" && root !== "ROW") return [];
        const reason = `the ${what} column has unsupported data type ${root} (ARRAY, MAP and ROW cannot be keys)`;
        return [{ path: at(path, index), value: key, reason, fix: "use a column of a plain type" }];
    });
}

/** Fluss makes primary key columns NOT NULL; a spec that says the opposite would never be true. */
function nullableKeyFaults(spec: TableSpec): Fault[] {
    return spec.columns.flatMap((column, index) => {
        if (column.nullable !== true || !spec.primaryKey?.includes(column.name)) return [];
        const reason = `${column.name} is part of the primary key, which Fluss makes NOT NULL`;
        return [{ path: at("columns", index, "nullable"), value: "true", reason, fix: "leave nullable out" }];
    });
}

function partitionFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    const faults: Fault[] = [];
    const { primaryKey, partitionKeys = [], bucketKey = [] } = spec;
    partitionKeys.forEach((key, index) => {
        const path = at("partitionKeys", index);
        if (primaryKey && !primaryKey.includes(key)) {
            faults.push({
                path,
                value: key,
                reason: `a partitioned primary key table requires that the partition key ${key} is part of the primary key ${listed(primaryKey)}`,
                fix: `add ${key} to primaryKey`,
            });
        }
        const type = types.get(key);
        if (type && !PARTITION_TYPES.includes(type.root)) {
            faults.push({
                path,
                value: key,
                reason: `supported types of a partition key are ${PARTITION_TYPES.join(", ")}, but this one has type ${type.root}`,
                fix: "partition by a column of one of these types",
            });
        }
        if (bucketKey.includes(key)) {
            faults.push({
                path: at("bucketKey"),
                value: listed(bucketKey),
                reason: `the bucket key shouldn't include any column of the partition keys ${listed(partitionKeys)}`,
                fix: `remove ${key} from bucketKey`,
            });
        }
    });
    if (primaryKey && partitionKeys.length > 0 && sameSet(primaryKey, partitionKeys)) {
        faults.push({
            path: at("primaryKey"),
            value: listed(primaryKey),
            reason: "the primary key should not be the same as the partition keys",
            fix: "add the column that tells rows of one partition apart",
        });
    }
    return faults;
}

function bucketFaults(spec: TableSpec, capabilities: TableCapabilities): Fault[] {
    const faults: Fault[] = [];
    const { primaryKey, partitionKeys = [], bucketKey, bucketCount } = spec;
    const strange = bucketKey?.filter((key) => !primaryKey?.includes(key) && !partitionKeys.includes(key));
    if (primaryKey && strange?.length) {
        faults.push({
            path: at("bucketKey"),
            value: listed(bucketKey),
            reason:
                "bucket keys must be a subset of the primary key without the partition keys; " +
                `the primary key is ${listed(primaryKey)}, the partition keys are ${listed(partitionKeys)}`,
            fix: `remove ${strange.join(", ")} from bucketKey, or leave bucketKey out`,
        });
    }
    const most = MAX_BUCKETS[capabilities.server];
    if (bucketCount !== undefined && bucketCount < 1) {
        faults.push({
            path: at("bucketCount"),
            value: String(bucketCount),
            reason: "the number of buckets must be larger than 0",
            fix: "use 1 or more",
        });
    } else if (bucketCount !== undefined && bucketCount > most) {
        faults.push({
            path: at("bucketCount"),
            value: String(bucketCount),
            reason: `exceeds the maximum limit ${most} of Fluss ${capabilities.server}`,
            fix: `use ${most} or less`,
        });
    }
    return faults;
}

function sameSet(one: string[], other: string[]): boolean {
    return one.length === other.length && one.every((item) => other.includes(item));
}
