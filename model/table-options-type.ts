/**
 * The options of a table under their real names, for completion and checks while a program is written; the preview checks
 * names and values again, for the release of the servers. Every value is text, as in WITH. What is said of 0.9 was observed
 * on 0.9.1, what is said of 1.0 comes from its source. Properties of one's own go into `custom`.
 */
export interface TableOptions {
    /** int, default the cluster's `default.replication.factor`. Fixed at creation. */
    "table.replication.factor"?: string;
    /** enum, default `ARROW`. Fixed at creation. Column pruning needs ARROW. */
    "table.log.format"?: OneOf<"ARROW" | "INDEXED" | "COMPACTED">;
    /** enum, default `ZSTD`. Fixed at creation. */
    "table.log.arrow.compression.type"?: OneOf<"NONE" | "LZ4_FRAME" | "ZSTD">;
    /** int from 1 to 22, default `3`. Fixed at creation. */
    "table.log.arrow.compression.zstd.level"?: string;
    /** enum, default `COMPACTED`. Fixed at creation. */
    "table.kv.format"?: OneOf<"COMPACTED" | "INDEXED">;
    /** int, at most 2, default the newest of the servers. Fixed at creation. */
    "table.kv.format-version"?: string;
    /** boolean, default the servers' choice, since 1.0. In place on 1.0. */
    "table.kv.standby-replica.enabled"?: Flag;
    /**
     * boolean, default `false`. In place on 1.0. Switching it on drops partitions that are older than
     * `table.auto-partition.num-retention`, so that must be declared, too.
     */
    "table.auto-partition.enabled"?: Flag;
    /** string, one of the partition keys; needed when there are several. Fixed at creation. */
    "table.auto-partition.key"?: string;
    /** enum, default `DAY`. Fixed at creation. */
    "table.auto-partition.time-unit"?: OneOf<"HOUR" | "DAY" | "MONTH" | "QUARTER" | "YEAR">;
    /** string, default by the unit: `yyyyMMddHH`, `yyyyMMdd`, `yyyyMM`, `yyyyQ`, `yyyy`; since 1.0. Fixed at creation. */
    "table.auto-partition.time-format"?: string;
    /** string, default the zone of each server's machine. Fixed at creation. */
    "table.auto-partition.time-zone"?: string;
    /** int, default `2`; 0 with several partition keys. In place on 1.0. */
    "table.auto-partition.num-precreate"?: string;
    /** int, default `7`; a negative number keeps all. In place on 1.0; fewer drop partitions. */
    "table.auto-partition.num-retention"?: string;
    /** duration, default `7 d`; 0 keeps all. In place on 1.0; less deletes log data. */
    "table.log.ttl"?: string;
    /** int above 0, default `2`. In place on 0.9 and 1.0. */
    "table.log.tiered.local-segments"?: string;
    /** duration, at most `table.log.ttl`, default none, since 1.0. In place on 1.0. */
    "table.log.local-ttl"?: string;
    /** boolean, default `false`. In place on 0.9 and 1.0; off makes the Iceberg table go stale. */
    "table.datalake.enabled"?: Flag;
    /** boolean, default `false`, since 1.0, Paimon only. In place on 1.0. */
    "table.datalake.historical-partition.enabled"?: Flag;
    /** enum, default the cluster's. Fixed at creation. */
    "table.datalake.format"?: OneOf<"PAIMON" | "ICEBERG" | "LANCE" | "HUDI">;
    /** duration, default `3 min`. In place on 0.9 and 1.0. */
    "table.datalake.freshness"?: string;
    /** boolean, default `false`. In place on 1.0. */
    "table.datalake.auto-compaction"?: Flag;
    /** boolean, default `false`. Fixed at creation. */
    "table.datalake.auto-expire-snapshot"?: Flag;
    /** enum, default none: the last row of a key stays. Fixed at creation. */
    "table.merge-engine"?: OneOf<"FIRST_ROW" | "VERSIONED" | "AGGREGATION">;
    /** string, a column of INT, BIGINT, TIMESTAMP or TIMESTAMP_LTZ; for the versioned engine. Fixed at creation. */
    "table.merge-engine.versioned.ver-column"?: string;
    /** enum, default `ALLOW`; IGNORE with a merge engine. Fixed at creation. */
    "table.delete.behavior"?: OneOf<"ALLOW" | "IGNORE" | "DISABLE">;
    /** long, default `100000`. Fixed at creation. */
    "table.auto-increment.cache-size"?: string;
    /** enum, default `FULL`. Fixed at creation. */
    "table.changelog.image"?: OneOf<"FULL" | "WAL">;
    /** string, columns of a log table or `*`, since 1.0. In place on 1.0. */
    "table.statistics.columns"?: string;

    /** The column of a primary key table that the server numbers. Fixed at creation. */
    "auto-increment.fields"?: string;
    /** How the aggregation engine folds a column, and the parameters of its function: `fields.total.agg`. Fixed at creation. */
    [aggregate: `fields.${string}`]: string;
    /** Handed on to the table in the lake: `iceberg.write.format.default`. */
    [lake: `${"iceberg" | "paimon" | "lance" | "hudi"}.${string}`]: string;

    /** What a query of Flink does when it has no hint of its own. From here on: options of the connector. */
    "scan.startup.mode"?: OneOf<"full" | "earliest" | "latest" | "timestamp">;
    /** Milliseconds, or `yyyy-MM-dd HH:mm:ss`. */
    "scan.startup.timestamp"?: string;
    /** duration, default `1 min`. */
    "scan.partition.discovery.interval"?: string;
    /** int, since 1.0. */
    "scan.split.assignment.batch-size"?: string;
    /** string, default a random one. */
    "scan.kv.snapshot.lease.id"?: string;
    /** duration, default `1 d`. */
    "scan.kv.snapshot.lease.duration"?: string;
    /** boolean, default `true`. */
    "lookup.async"?: Flag;
    /** boolean, default `false`. */
    "lookup.insert-if-not-exists"?: Flag;
    /** enum, default `NONE`. */
    "lookup.cache"?: OneOf<"NONE" | "PARTIAL">;
    /** duration. */
    "lookup.partial-cache.expire-after-access"?: string;
    /** duration. */
    "lookup.partial-cache.expire-after-write"?: string;
    /** boolean. */
    "lookup.partial-cache.cache-missing-key"?: Flag;
    /** long. */
    "lookup.partial-cache.max-rows"?: string;
    /** int, default `3`. */
    "lookup.max-retries"?: string;
    /** boolean, default `false`: deletes are not written. */
    "sink.ignore-delete"?: Flag;
    /** boolean, default `true`; the servers call it outdated. */
    "sink.bucket-shuffle"?: Flag;
    /** enum, default `AUTO`. */
    "sink.distribution-mode"?: OneOf<"AUTO" | "NONE" | "BUCKET" | "PARTITION_DYNAMIC">;
    /** string, default the id of the job. */
    "sink.producer-id"?: string;
}

/** Completes the values; others are told in the preview, since case does not matter to the servers. */
type OneOf<T extends string> = T | (string & {});
type Flag = OneOf<"true" | "false">;
