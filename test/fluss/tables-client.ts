import { spawn } from "node:child_process";
import path from "node:path";
import * as z from "zod";
import { ensureTools } from "../../local/toolchain/index.ts";
import { type ColumnType, printColumnType } from "../../model/column-types.ts";
import { normalTable, type TableSpec } from "../../model/table.ts";
import type { Lakehouse } from "./lakehouse.ts";

/** A table as Fluss' own Java client sees it, in the terms of a spec; the servers' stamps are among its options. */
export interface SeenTable {
    spec: TableSpec;
    /** As SHOW PARTITIONS prints them, sorted. */
    partitions: string[];
    /** How columns are aggregated, and which one the servers number: part of the schema, not of the options. */
    aggregates: Record<string, string>;
    autoIncrement: string | undefined;
}

/**
 * Every table of a database, by name, as Fluss' Java client reads it from the servers: no Flink, no SQL, and nothing of this
 * library's reading of SHOW CREATE TABLE is between. Takes some three seconds.
 */
export async function seenByClient(
    { fluss }: Lakehouse,
    database: string,
): Promise<Record<string, SeenTable>> {
    const { java, classPaths } = await ensureTools(() => undefined);
    const input = Object.entries({
        database,
        "bootstrap.servers": fluss.bootstrapServers,
        "client.security.protocol": "sasl",
        "client.security.sasl.mechanism": "PLAIN",
        "client.security.sasl.username": fluss.username,
        "client.security.sasl.password": fluss.password,
    });
    const report = path.join(import.meta.dirname, "java", "TableReport.java");
    const opens = "--add-opens=java.base/java.nio=ALL-UNNAMED";
    const output = await runJava(
        java,
        [opens, "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp", classPaths.flink, report],
        input.map(([key, value]) => `${key}=${value}\n`).join(""),
    );
    const lines = output.split("\n").filter((line) => line.startsWith("TABLE "));
    return Object.fromEntries(
        lines.map((line): [string, SeenTable] => {
            const [, name = "", descriptor = "", partitions = ""] = line.split(" ");
            const json: unknown = JSON.parse(Buffer.from(descriptor, "base64").toString("utf8"));
            const table = descriptorSchema.parse(json);
            const aggregates = table.schema.columns.flatMap(({ name: column, agg_function: fold }) =>
                fold ? [[column, fold.type]] : [],
            );
            return [
                name,
                {
                    spec: asSpec(database, name, table),
                    partitions: partitions.split(",").filter(Boolean).sort(),
                    aggregates: Object.fromEntries(aggregates),
                    autoIncrement: table.schema.auto_increment_column?.join(","),
                },
            ];
        }),
    );
}

interface DataType {
    type: string;
    nullable?: boolean;
    length?: number;
    precision?: number;
    scale?: number;
    element_type?: DataType;
    key_type?: DataType;
    value_type?: DataType;
    fields?: { name: string; field_type: DataType }[];
}

const dataType: z.ZodType<DataType> = z.lazy(() =>
    z.object({
        type: z.string(),
        nullable: z.boolean().optional(),
        length: z.number().optional(),
        precision: z.number().optional(),
        scale: z.number().optional(),
        element_type: dataType.optional(),
        key_type: dataType.optional(),
        value_type: dataType.optional(),
        fields: z.array(z.object({ name: z.string(), field_type: dataType })).optional(),
    }),
);

/** The form in which the servers keep a table (Fluss 0.9.1 observed). */
const descriptorSchema = z.object({
    schema: z.object({
        columns: z.array(
            z.object({
                name: z.string(),
                data_type: dataType,
                comment: z.string().optional(),
                agg_function: z.object({ type: z.string() }).optional(),
            }),
        ),
        auto_increment_column: z.array(z.string()).optional(),
        primary_key: z.array(z.string()).optional(),
    }),
    comment: z.string().optional(),
    partition_key: z.array(z.string()),
    bucket_key: z.array(z.string()).optional(),
    bucket_count: z.number().optional(),
    properties: z.record(z.string(), z.string()),
    custom_properties: z.record(z.string(), z.string()),
});

function asSpec(database: string, name: string, table: z.output<typeof descriptorSchema>): TableSpec {
    const { schema, partition_key, bucket_key, bucket_count } = table;
    return normalTable({
        database,
        name,
        columns: schema.columns.map((column) => ({
            name: column.name,
            type: printColumnType(asType(column.data_type)),
            nullable: column.data_type.nullable ?? true,
            comment: column.comment,
        })),
        primaryKey: schema.primary_key?.length ? schema.primary_key : undefined,
        partitionKeys: partition_key.length > 0 ? partition_key : undefined,
        bucketKey: bucket_key?.length ? bucket_key : undefined,
        bucketCount: bucket_count,
        options: { ...table.properties, ...table.custom_properties },
        comment: table.comment,
    });
}

const roots: Record<string, ColumnType["root"]> = {
    INTEGER: "INT",
    TIME_WITHOUT_TIME_ZONE: "TIME",
    TIMESTAMP_WITHOUT_TIME_ZONE: "TIMESTAMP",
    TIMESTAMP_WITH_LOCAL_TIME_ZONE: "TIMESTAMP_LTZ",
};

function asType(seen: DataType): ColumnType {
    const { type, nullable = true, length, precision, scale, fields } = seen;
    const root = roots[type] ?? (type as ColumnType["root"]);
    return {
        root,
        nullable,
        ...(length !== undefined && { length }),
        ...(precision !== undefined && { precision }),
        ...(scale !== undefined && { scale }),
        ...(seen.element_type && { element: asType(seen.element_type) }),
        ...(seen.key_type && { key: asType(seen.key_type) }),
        ...(seen.value_type && { value: asType(seen.value_type) }),
        ...(fields && {
            fields: fields.map((field) => ({ name: field.name, type: asType(field.field_type) })),
        }),
    } as ColumnType;
}

function runJava(java: string, args: string[], input: string): Promise<string> {
    return new Promise((resolve, reject) => {
        const child = spawn(java, args, { stdio: ["pipe", "pipe", "pipe"] });
        const chunks: Buffer[] = [];
        child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
        child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
        child.once("error", reject);
        child.once("close", (code) => {
            const output = Buffer.concat(chunks).toString("utf8");
            if (code === 0) resolve(output);
            else reject(new Error(`the Java client ended with ${code}:\n${output.slice(-3000)}`));
        });
        child.stdin.end(input);
    });
}
