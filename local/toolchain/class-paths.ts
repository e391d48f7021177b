import path from "node:path";
import type { JarFolder } from "./maven.ts";
import type { ClassPaths } from "./types.ts";

/** What class paths are put together from. */
export interface JarSources {
    /** Folder of each Maven module. */
    folders: Record<JarFolder, string>;
    /** Names of the jars that lie in each folder. */
    jars: Record<JarFolder, string[]>;
    /** Our own jars, absolute. */
    logging: string;
    catalogMain: string;
}

/** Puts the class paths of all processes together. Pure: it looks at no file. @throws when a jar is missing in its folder. */
export function classPaths(sources: JarSources): ClassPaths {
    const all = (folder: JarFolder) =>
        sources.jars[folder].map((name) => path.join(sources.folders[folder], name));
    const pick = (folder: JarFolder, artifact: string) => {
        // The version begins with a digit: `iceberg-aws` must not pick `iceberg-aws-bundle`.
        const name = sources.jars[folder].find(
            (jar) => jar.startsWith(`${artifact}-`) && /^\d/.test(jar.slice(artifact.length + 1)),
        );
        if (name !== undefined) return path.join(sources.folders[folder], name);
        const where = sources.folders[folder];
        throw new Error(
            `${artifact} is missing in ${where}. Remove that folder and run again: it is filled anew.`,
        );
    };

    const s3FileSystem = pick("jars", "fluss-fs-s3");
    const lakeFormat = pick("jars", "fluss-lake-iceberg");
    // S3FileIO is in iceberg-aws, the AWS SDK in the bundle, and S3FileIO fails to load without failsafe.
    const icebergS3 = ["iceberg-aws-bundle", "iceberg-aws", "failsafe"].map((jar) => pick("lake", jar));
    const icebergFlink = pick("lake", "iceberg-flink-runtime-1.20");
    const hadoop34 = ["hadoop-client-api", "hadoop-client-runtime", "commons-logging"].map((jar) =>
        pick("lake", jar),
    );
    const hadoop33 = ["hadoop-hdfs-client", "hadoop-mapreduce-client-core"].map((jar) => pick("lake", jar));

    const server = [sources.logging, ...all("logging-slf4j1"), ...all("server")];
    // fluss-fs-s3 holds Hadoop 3.3.4 unshaded and must come before any jar of Hadoop 3.4, else reads of remote log and
    // snapshots fail: `NumberFormatException: For input string: "60s"`. Flink therefore gets only parts of the same
    // Hadoop 3.3.4: planning `t$lake` needs hdfs-client, reading Parquet needs mapreduce-client-core.
    const flink = [
        sources.logging,
        ...all("logging-slf4j1"),
        ...all("flink"),
        s3FileSystem,
        lakeFormat,
        ...icebergS3,
        icebergFlink,
        ...hadoop33,
    ];
    const catalog = [
        sources.logging,
        ...all("logging-slf4j2"),
        sources.catalogMain,
        ...all("catalog"),
        ...icebergS3,
        ...hadoop34,
    ];
    return {
        server: unique(server).join(path.delimiter),
        plugins: { s3: [s3FileSystem], iceberg: [lakeFormat, ...icebergS3, ...hadoop34] },
        flink: unique(flink).join(path.delimiter),
        flinkLib: sources.folders.flink,
        catalog: unique(catalog).join(path.delimiter),
        logging: sources.logging,
        tieringJar: pick("jars", "fluss-flink-tiering"),
        clientJars: [
            pick("flink", "fluss-flink-1.20"),
            s3FileSystem,
            lakeFormat,
            ...icebergS3,
            icebergFlink,
            ...hadoop33,
        ],
    };
}

/** Leaves out a jar that an earlier folder already holds (slf4j-api comes with several modules, in one version). */
function unique(jars: string[]): string[] {
    const seen = new Set<string>();
    return jars.filter((jar) => !seen.has(path.basename(jar)) && seen.add(path.basename(jar)));
}
