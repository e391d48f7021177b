import { lakeTrouble } from "../../model/lake-troubles.ts";

/** What to do about an error of Flink or Fluss, where it is known (Fluss 0.9.1 with Flink 1.20.3 observed). */
export function sqlHint(message: string): string | undefined {
    const own = hints.find(([pattern]) => pattern.test(message))?.[1];
    if (own !== undefined) return own;
    const trouble = lakeTrouble(message);
    return trouble && `${trouble.reason}: ${trouble.fix.charAt(0).toLowerCase()}${trouble.fix.slice(1)}`;
}

/** What Flink 1.20.3 says instead of printing a materialized table. */
export const materializedTable = /ResolvedCatalogMaterializedTable cannot be cast/;

const hints: [RegExp, string][] = [
    [
        /Invalid username or password|Authentication failed/,
        "check client.security.sasl.username and .password in the catalog's options; on Ververica Platform the secret value must hold the password that the Fluss servers know",
    ],
    [
        /has not completed authentication yet/,
        "the Fluss servers want SASL: set client.security.protocol, .sasl.mechanism, .sasl.username and .sasl.password in the catalog's options",
    ],
    [
        /Failed to initialize fluss client connection|Disconnected from node|finishConnect\(\.\.\) failed/,
        "check bootstrap.servers in the catalog's options, and that the Fluss servers run and can be reached from Flink",
    ],
    [
        /no authorization to operate/,
        "give the user of the catalog the ACL: CALL <catalog>.sys.add_acl(…) as a super user of the Fluss servers",
    ],
    [
        /Unsupported options found for 'fluss'|Could not find any factory for identifier 'fluss'/,
        "add the client JARs of the Fluss setup: on Ververica Platform as additionalDependencies, else to the class path of the SQL gateway",
    ],
    [
        /doesn't enable datalake tables|cannot be altered for tables that were created before the Fluss cluster enabled datalake/,
        "set datalake.format and datalake.enabled on the Fluss servers first; a table made before that can only be made anew",
    ],
    [
        /already exists in Iceberg catalog|^Table [\w-]+\.[\w-]+ already exists\.$/,
        "the Iceberg table of an earlier Fluss table is still in the lake, and Fluss never drops it: drop it in the Iceberg catalog, or choose another name",
    ],
    [
        materializedTable,
        "this is a materialized table, which Flink itself keeps together with its query; leave it to Flink, and choose another name for a table of this stack",
    ],
    [
        /A catalog with name \[.*\] does not exist|Database .* does not exist in Catalog /,
        "correct the name, or make it first: FlussTables makes catalog and databases",
    ],
    [/is not empty\.?$/, "drop its tables first, or set retainOnDelete on the database"],
    [
        /ConnectionLoss for \S*\/metadata\//,
        "if this table is large: ZooKeeper takes no more than jute.maxbuffer, 1 MB by default, for its definition. Shorten comments and properties, or raise it on ZooKeeper and the Fluss servers",
    ],
    [/larger than available tablet servers/, "lower table.replication.factor or add tablet servers"],
    [
        /Have records for a split that was not registered/,
        "a batch read of a log table fails at times while rows are appended to it (apache/fluss issue 3972): run it again, or read the table's $lake",
    ],
    [
        /Insufficient number of network buffers/,
        "each task of a batch query takes 512 buffers, and the reader of a lake is given a task for about 32 small files: set table.exec.iceberg.infer-source-parallelism.max for the statement, or give the TaskManagers more by taskmanager.memory.network.fraction and .max",
    ],
    [
        /No content to map due to end-of-input/,
        "the table was half made for a minute: look whether the coordinator runs, and in its log how the table's CREATE ended",
    ],
    [
        /Leader not found after retry/,
        "the table has no leader: look at the coordinator's log, and whether all tablet servers run. On Fluss 0.9 a table can be without one from its birth (docs/tables.md): restart the coordinator, or drop the empty table and make it again",
    ],
    [
        /is not supported to alter yet|are not supported to alter yet/,
        "this server does not change the option on a table that exists; keep its old value. Nothing was changed",
    ],
];
