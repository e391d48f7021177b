/** The services of the local lakehouse: file names of their logs, and keys of their folders below `run/`. */
export const serviceNames = {
    s3: "s3",
    zookeeper: "zookeeper",
    catalog: "iceberg-catalog",
    lakekeeper: "lakekeeper-simulator",
    flussCoordinator: "fluss-coordinator",
    flussTablet: "fluss-tablet",
    flinkJobManager: "flink-jobmanager",
    flinkTaskManager: "flink-taskmanager",
    sqlGateway: "flink-sql-gateway",
    vvp: "vvp-simulator",
    postgresql: "postgresql",
    azurite: "azurite",
} as const;

/** One of the names above. */
export type ServiceName = (typeof serviceNames)[keyof typeof serviceNames];

/**
 * Who stops after whom: each group stops together, after the group before it is gone. Fluss tries for long to
 * reach a ZooKeeper that is already gone, and a tablet server to reach its coordinator; Flink's three have no
 * state that a stop could lose.
 */
export const stopGroups: readonly (readonly ServiceName[])[] = [
    [serviceNames.sqlGateway, serviceNames.flinkTaskManager, serviceNames.flinkJobManager],
    [serviceNames.flussTablet],
    [serviceNames.flussCoordinator],
    [
        serviceNames.zookeeper,
        serviceNames.catalog,
        serviceNames.lakekeeper,
        serviceNames.vvp,
        serviceNames.postgresql,
        serviceNames.azurite,
    ],
    [serviceNames.s3],
];
