/** Class paths and jar files of the local lakehouse; every path is absolute. */
export interface ClassPaths {
    /** ZooKeeper and the Fluss servers, ready for `-cp`. */
    server: string;
    /** Jars for `FLUSS_PLUGINS_DIR/s3` and `FLUSS_PLUGINS_DIR/iceberg`: Fluss loads each folder by a class loader of its own. */
    plugins: { s3: string[]; iceberg: string[] };
    /** JobManager, TaskManager and SQL gateway. The order matters: see `flinkJars` in `class-paths.ts`. */
    flink: string;
    /** Folder for `FLINK_LIB_DIR`. */
    flinkLib: string;
    /** The Iceberg REST catalog, our main class included (`pulumifluss.catalog.CatalogServer`). */
    catalog: string;
    /** Our log redaction and its log4j2 configuration; already the first entry of `server`, `flink` and `catalog`. */
    logging: string;
    /** The tiering job. It is uploaded to Flink and must not be on Flink's class path. */
    tieringJar: string;
    /** What a job needs beyond Flink itself: the connector, the S3 file system and the lake's client. */
    clientJars: string[];
}

/** All programs that the local lakehouse runs; every path is absolute. */
export interface Tools {
    /** Where downloaded and built tools are kept, outside of the checkout. */
    cacheDir: string;
    /** Java executable, version 17 or newer. */
    java: string;
    /** Python executable of the emulator's virtual environment. */
    python: string;
    /** Launcher of the S3 and IAM emulator, to be run by `python`. */
    emulator: string;
    /** `binDir` holds `pulumi` (and its language hosts when it was downloaded); `home` is for `PULUMI_HOME`. */
    pulumi: { binDir: string; version: string; home: string };
    classPaths: ClassPaths;
}

/** Takes one line of progress, written for a person. */
export type Report = (line: string) => void;
