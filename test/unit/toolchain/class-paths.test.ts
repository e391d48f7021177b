import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { classPaths, type JarSources } from "../../../local/toolchain/class-paths.ts";
import { JAR_FOLDERS, type JarFolder } from "../../../local/toolchain/maven.ts";

const POMS = fileURLToPath(new URL("../../../local/toolchain/maven/", import.meta.url));

/** What lies in the folders, shortened; the names are as Maven writes them. */
const JARS: Record<JarFolder, string[]> = {
    "logging-slf4j1": ["log4j-core-2.25.4.jar", "log4j-slf4j-impl-2.25.4.jar", "slf4j-api-1.7.36.jar"],
    "logging-slf4j2": ["log4j-core-2.25.4.jar", "log4j-slf4j2-impl-2.25.4.jar", "slf4j-api-2.0.17.jar"],
    server: ["fluss-server-0.9.1-incubating.jar", "slf4j-api-1.7.36.jar"],
    flink: ["flink-clients-1.20.3.jar", "fluss-flink-1.20-0.9.1-incubating.jar", "slf4j-api-1.7.36.jar"],
    lake: [
        "commons-logging-1.2.jar",
        "failsafe-3.3.2.jar",
        "hadoop-client-api-3.4.0.jar",
        "hadoop-client-runtime-3.4.0.jar",
        "hadoop-hdfs-client-3.3.4.jar",
        "hadoop-mapreduce-client-core-3.3.4.jar",
        "iceberg-aws-1.10.1.jar",
        "iceberg-aws-bundle-1.10.1.jar",
        "iceberg-flink-runtime-1.20-1.10.1.jar",
    ],
    catalog: ["iceberg-core-1.10.1.jar", "jetty-server-11.0.26.jar", "slf4j-api-2.0.17.jar"],
    jars: [
        "fluss-flink-tiering-0.9.1-incubating.jar",
        "fluss-fs-s3-0.9.1-incubating.jar",
        "fluss-lake-iceberg-0.9.1-incubating.jar",
    ],
};

describe("classPaths", () => {
    const paths = classPaths(sources(JARS));
    const flink = namesOf(paths.flink);
    const catalog = namesOf(paths.catalog);
    const server = namesOf(paths.server);

    it("puts fluss-fs-s3 before every other Hadoop on Flink's class path, and no Hadoop 3.4 on it", () => {
        const hadoop = flink.filter((name) => name.startsWith("hadoop-"));
        expect(hadoop).toEqual(["hadoop-hdfs-client-3.3.4.jar", "hadoop-mapreduce-client-core-3.3.4.jar"]);
        const fileSystem = flink.indexOf("fluss-fs-s3-0.9.1-incubating.jar");
        expect(fileSystem).toBeGreaterThan(0);
        for (const name of hadoop) expect(flink.indexOf(name)).toBeGreaterThan(fileSystem);
    });

    it("gives Flink all that it needs for S3 and the lake", () => {
        expect(flink).toEqual(
            expect.arrayContaining([
                "fluss-flink-1.20-0.9.1-incubating.jar",
                "fluss-lake-iceberg-0.9.1-incubating.jar",
                "iceberg-aws-bundle-1.10.1.jar",
                "iceberg-aws-1.10.1.jar",
                "failsafe-3.3.2.jar",
                "iceberg-flink-runtime-1.20-1.10.1.jar",
            ]),
        );
    });

    it("keeps the tiering job off every class path", () => {
        expect(path.basename(paths.tieringJar)).toBe("fluss-flink-tiering-0.9.1-incubating.jar");
        for (const names of [flink, server, catalog, paths.clientJars.map((jar) => path.basename(jar))]) {
            expect(names.filter((name) => name.includes("tiering"))).toEqual([]);
        }
    });

    it("puts the log redaction first everywhere, each with the one binding that fits", () => {
        for (const names of [server, flink, catalog]) expect(names[0]).toBe("logging.jar");
        for (const names of [server, flink]) {
            expect(bindingsOf(names)).toEqual(["log4j-slf4j-impl-2.25.4.jar", "slf4j-api-1.7.36.jar"]);
        }
        expect(bindingsOf(catalog)).toEqual(["log4j-slf4j2-impl-2.25.4.jar", "slf4j-api-2.0.17.jar"]);
    });

    it("separates the Hadoops of the Fluss servers by their plugin folders", () => {
        expect(paths.plugins.s3.map((jar) => path.basename(jar))).toEqual([
            "fluss-fs-s3-0.9.1-incubating.jar",
        ]);
        expect(paths.plugins.iceberg.map((jar) => path.basename(jar))).toEqual([
            "fluss-lake-iceberg-0.9.1-incubating.jar",
            "iceberg-aws-bundle-1.10.1.jar",
            "iceberg-aws-1.10.1.jar",
            "failsafe-3.3.2.jar",
            "hadoop-client-api-3.4.0.jar",
            "hadoop-client-runtime-3.4.0.jar",
            "commons-logging-1.2.jar",
        ]);
    });

    it("names the folder of a missing jar and what to do", () => {
        const damaged = { ...JARS, lake: JARS.lake.filter((name) => name !== "iceberg-aws-1.10.1.jar") };
        expect(() => classPaths(sources(damaged))).toThrow(
            "iceberg-aws is missing in /cache/lake. Remove that folder and run again",
        );
    });
});

describe("the poms", () => {
    it("hold the versions that were tried together", () => {
        const versions = [...pom(".").matchAll(/<([\w.-]+)\.version>(.*)<\/\1\.version>/g)].map((m) => [
            m[1],
            m[2],
        ]);
        expect(Object.fromEntries(versions)).toEqual({
            fluss: "0.9.1-incubating",
            flink: "1.20.3",
            iceberg: "1.10.1",
            "hadoop.fluss": "3.3.4",
            "hadoop.iceberg": "3.4.0",
            log4j: "2.25.4",
            jetty: "11.0.26",
            sqlite: "3.50.3.0",
            failsafe: "3.3.2",
            "commons-logging": "1.2",
            "copy-dependencies": "3.6.1",
        });
    });

    it("take every version from there, but for the older plugin", () => {
        const literal = JAR_FOLDERS.flatMap((name) =>
            [...pom(name).matchAll(/<version>([^$<]+)<\/version>/g)].map((found) => [name, found[1]]),
        );
        const parents = literal.filter(([, version]) => version === "1");
        expect(parents).toHaveLength(JAR_FOLDERS.length);
        expect(literal.filter(([, version]) => version !== "1")).toEqual([["jars", "2.10"]]);
    });

    it("copy the jars without a published parent by the older plugin, and depend on none of them", () => {
        const items = [...pom("jars").matchAll(/<artifactId>(fluss-[\w-]+)<\/artifactId>/g)].map(
            (found) => found[1],
        );
        expect(items).toEqual(["fluss-fs-s3", "fluss-lake-iceberg", "fluss-flink-tiering"]);
        for (const name of JAR_FOLDERS.filter((name) => name !== "jars")) {
            for (const item of items) expect(pom(name)).not.toContain(`<artifactId>${item}</artifactId>`);
        }
    });
});

function sources(jars: Record<JarFolder, string[]>): JarSources {
    const folders = Object.fromEntries(JAR_FOLDERS.map((name) => [name, `/cache/${name}`]));
    return {
        folders: folders as Record<JarFolder, string>,
        jars,
        logging: "/cache/logging.jar",
        catalogMain: "/cache/catalog.jar",
    };
}

function namesOf(classPath: string): string[] {
    return classPath.split(path.delimiter).map((jar) => path.basename(jar));
}

function bindingsOf(names: string[]): string[] {
    return names.filter((name) => name.includes("slf4j"));
}

function pom(module: string): string {
    return fs.readFileSync(path.join(POMS, module, "pom.xml"), "utf8");
}
