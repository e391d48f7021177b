import { catalogOptions, readHints } from "./catalog-options.ts";
import { createCatalog, identifier } from "./ddl.ts";
import { FaultsError, throwFaults } from "./faults.ts";
import { clientOptions, type FlussClient } from "./fluss-client.ts";
import type { Lake } from "./lake.ts";
import { lakeAndClient } from "./lake-and-client.ts";
import type { Storage } from "./lake-storage.ts";
import {
    flinkSettings,
    pyIcebergSettings,
    type ReaderSettings,
    sparkSettings,
    starRocksSettings,
    trinoSettings,
} from "./reader-settings.ts";
import { renderOptions } from "./secret-ref.ts";

/** How one engine or client reads the lakehouse. It holds secrets wherever the lake or the client has some. */
export interface Reader {
    /** What the engine is configured with, by its own names. */
    settings: Record<string, string>;
    /** The same as text to paste, in the form that {@link ReaderName} says. */
    text: string;
}

/**
 * - `flussCatalog`: Flink SQL on Fluss, streaming rows and lake together: a `CREATE CATALOG` statement.
 * - `flink`, `spark`, `trino`, `starRocks`, `pyIceberg`: the lake alone, without Fluss: a `CREATE CATALOG` statement,
 *   `spark-defaults.conf`, a catalog's properties file, a `CREATE EXTERNAL CATALOG` statement, `.pyiceberg.yaml`.
 * - `javaClient`: the Fluss client for Java: a properties file.
 * - `dataStream`: the DataStream connector (seed 004): lines of Java that fill its `Configuration`.
 */
export type ReaderName =
    | "flussCatalog"
    | "flink"
    | "spark"
    | "trino"
    | "starRocks"
    | "pyIceberg"
    | "javaClient"
    | "dataStream";

/** The readers of one lakehouse. */
export interface Readers {
    /** Settings of each engine that can read it. */
    readers: Partial<Record<ReaderName, Reader>>;
    /** Why the others cannot. */
    unavailable: Partial<Record<ReaderName, string>>;
}

/** What {@link defineReaders} derives the readers from. */
export interface ReadersInput {
    /**
     * Name of the catalog in each engine. A lake with a JDBC catalog has its own name, which is taken in its place: its
     * tables are filed under it.
     */
    catalog: string;
    /** The cluster. All its secrets need a `value`: most readers substitute nothing. */
    client: FlussClient;
    /** The lake, if tables are tiered. As for `client`. */
    lake?: Lake;
    /** The cluster's remote storage, whose keys Fluss clients need where the servers hand out none (`readHints`). */
    remote?: Storage;
}

/**
 * Ready settings for whoever reads the lakehouse (seed 001, "Any Iceberg-compatible engine, such as Spark, Trino, or
 * StarRocks"; seed 004 for the DataStream connector). Flink's were run; the names of the other engines' are
 * from their manuals. Throws a `FaultsError` with every secret that has no `value`.
 */
export function defineReaders({ catalog, client, lake, remote }: ReadersInput): Readers {
    const known = lakeAndClient({ lake, client });
    const name = known.lake?.catalog.type === "jdbc" ? known.lake.catalog.name : catalog;
    if (!name) {
        const reason = "is empty, and a catalog has a name in each engine";
        throw new FaultsError("the readers", [
            { path: "catalog", reason, fix: "Give one like fluss_quickstart" },
        ]);
    }
    const result: Readers = { readers: {}, unavailable: {} };
    const fluss = catalogOptions(name, client, known.lake, "value");
    result.readers.flussCatalog = sqlCatalog(name, fluss);
    const connection = clientSettings(client, remote);
    result.readers.javaClient = { settings: connection, text: properties(connection) };
    result.readers.dataStream = { settings: connection, text: javaConfiguration(connection) };
    if (known.lake) addLakeReaders(result, name, known.lake);
    return result;
}

function addLakeReaders({ readers, unavailable }: Readers, name: string, lake: Lake): void {
    const add = (
        reader: ReaderName,
        found: ReaderSettings,
        show: (settings: Record<string, string>) => string,
    ) => {
        if ("unavailable" in found) unavailable[reader] = found.unavailable;
        else readers[reader] = { settings: found.settings, text: show(found.settings) };
    };
    add("flink", flinkSettings(lake), (settings) => sqlCatalog(name, settings).text);
    add("spark", sparkSettings(lake, name), properties);
    add("trino", trinoSettings(lake), properties);
    add("starRocks", starRocksSettings(lake), (settings) => externalCatalog(name, settings));
    add("pyIceberg", pyIcebergSettings(lake), (settings) => pyIcebergYaml(name, settings));
}

/** Connection, security and, where the servers hand out no keys of the remote store, the keys. */
function clientSettings(client: FlussClient, remote: Storage | undefined): Record<string, string> {
    const { rendered, faults } = renderOptions(clientOptions(client, "sasl"), "value");
    throwFaults("the settings of Fluss clients", faults);
    return { ...Object.fromEntries(rendered), ...(remote ? readHints(remote, "value") : {}) };
}

function sqlCatalog(name: string, settings: Record<string, string>): Reader {
    return { settings, text: `${createCatalog({ name, options: settings })};\n` };
}

/** StarRocks quotes names with backticks, and values with double quotes in which a backslash escapes. */
function externalCatalog(name: string, settings: Record<string, string>): string {
    const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
    const lines = Object.entries(settings).map(([key, value]) => `  ${quoted(key)} = ${quoted(value)}`);
    return `CREATE EXTERNAL CATALOG ${identifier(name)}\nPROPERTIES (\n${lines.join(",\n")}\n);\n`;
}

/** A Java properties file, which Spark and Trino read too. */
function properties(settings: Record<string, string>): string {
    // Java reads the file as Latin-1 or as UTF-8, as its reader likes; \u is the same in both.
    const escaped = (value: string) =>
        value.replace(/[\\\n\r\t]|[^ -~]/g, (character) => {
            const names: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
            return names[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
        });
    return Object.entries(settings)
        .map(([key, value]) => `${key}=${escaped(value)}\n`)
        .join("");
}

/** JSON's strings are Java's and YAML's, too. */
function javaConfiguration(settings: Record<string, string>): string {
    const lines = Object.entries(settings).map(
        ([key, value]) => `configuration.setString(${JSON.stringify(key)}, ${JSON.stringify(value)});\n`,
    );
    return `Configuration configuration = new Configuration();\n${lines.join("")}`;
}

function pyIcebergYaml(name: string, settings: Record<string, string>): string {
    const lines = Object.entries(settings).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
    return `catalog:\n  ${JSON.stringify(name)}:\n${lines.join("")}`;
}
