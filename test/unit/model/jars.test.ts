import { describe, expect, it } from "vitest";
import { type JarSetup, selectJars } from "../../../model/jars.ts";
import { faultsOf } from "./fixtures/faults.ts";

/** As the installer leaves them; the seed names no more than the connector, the file system and the tiering JAR. */
const vendorFiles = [
    "jars/fs-s3/fluss-flink-1.20-0.9.1-vv-1.jar",
    "jars/fs-s3/fluss-fs-s3-0.9.1-vv-1.jar",
    "jars/lake-iceberg/fluss-flink-1.20-1.0.0-vv-3.jar",
    "jars/lake-iceberg/fluss-fs-s3-1.0.0-vv-3.jar",
    "jars/lake-iceberg/fluss-lake-iceberg-1.0.0-vv-3.jar",
    "jars/lake-iceberg/iceberg-aws-bundle-1.10.1.jar",
    "jars/lake-iceberg/iceberg-flink-runtime-1.20-1.10.1.jar",
    "jars/lake-iceberg/vendor-extra-1.0.jar",
    "jars/lake-tiering-service/fluss-flink-tiering-1.0.0-vv-3.jar",
];
const vendor: JarSetup = { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" };

/** As Maven leaves them for the open release, with Flink 1.20. */
const openFiles = [
    "failsafe-3.3.2.jar",
    "fluss-flink-1.20-0.9.1-incubating.jar",
    "fluss-flink-tiering-0.9.1-incubating.jar",
    "fluss-fs-s3-0.9.1-incubating.jar",
    "fluss-lake-iceberg-0.9.1-incubating.jar",
    "hadoop-client-api-3.4.0.jar",
    "hadoop-hdfs-client-3.3.4.jar",
    "hadoop-mapreduce-client-core-3.3.4.jar",
    "iceberg-aws-1.10.1.jar",
    "iceberg-aws-bundle-1.10.1.jar",
    "iceberg-flink-runtime-1.20-1.10.1.jar",
];
const open: JarSetup = { release: "0.9.1-incubating", catalog: "rest", storage: "s3Compatible" };

const without = (files: string[], text: string) => files.filter((name) => !name.includes(text));

describe("client JARs of 1.0.0-vv-3", () => {
    it("are seven uploads after the quickstart's two exclusions", () => {
        const { tieringJar, clientJars, leftOut } = selectJars(vendorFiles, vendor);
        expect(tieringJar).toBe("jars/lake-tiering-service/fluss-flink-tiering-1.0.0-vv-3.jar");
        expect([tieringJar, ...clientJars]).toHaveLength(7);
        expect(clientJars).toContain("jars/fs-s3/fluss-fs-s3-0.9.1-vv-1.jar");
        expect(clientJars).toContain("jars/lake-iceberg/vendor-extra-1.0.jar");
        expect(leftOut).toEqual([
            {
                name: "jars/lake-iceberg/fluss-fs-s3-1.0.0-vv-3.jar",
                reason: expect.stringMatching(/getEnumSet/),
            },
            {
                name: "jars/fs-s3/fluss-flink-1.20-0.9.1-vv-1.jar",
                reason: expect.stringMatching(/connector of the release/),
            },
        ]);
    });

    it("are those for Flink 1.20: a connector for another one is left out, and is none by itself", () => {
        const others = [
            "jars/fluss-flink-1.19-1.0.0-vv-3.jar",
            "jars/fluss-flink-2.2-1.0.0-vv-3.jar",
            "jars/iceberg-flink-runtime-1.19-1.10.1.jar",
        ];
        const { clientJars, leftOut } = selectJars([...vendorFiles, ...others], vendor);
        expect(clientJars).toEqual(selectJars(vendorFiles, vendor).clientJars);
        expect(leftOut.map(({ name }) => name)).toEqual(expect.arrayContaining(others));
        const only = [...vendorFiles.filter((name) => !/flink-(runtime-)?1\.20/.test(name)), ...others];
        expect(faultsOf(() => selectJars(only, vendor)).map(({ reason }) => reason)).toEqual([
            expect.stringMatching(/connector for Flink 1\.20 .*is missing; there is only .*1\.19-/),
            expect.stringMatching(/Iceberg for Flink 1\.20 is missing; there is only .*runtime-1\.19-/),
        ]);
    });

    it("do not depend on the order of the files", () => {
        const sorted = (files: string[]) => selectJars(files, vendor).clientJars.sort();
        expect(sorted([...vendorFiles].reverse())).toEqual(sorted(vendorFiles));
    });

    it("lack the older S3 file system: says where it comes from and what is there instead", () => {
        const files = without(vendorFiles, "fs-s3-0.9.1");
        const [fault] = faultsOf(() => selectJars(files, vendor));
        expect(fault!.reason).toMatch(
            /file system of version 0.9.1-vv-1 is missing; .*fluss-fs-s3-1.0.0-vv-3.jar/,
        );
        expect(fault!.fix).toMatch(/fluss:0.9.1-vv-1/);
    });

    it("names every missing JAR at once", () => {
        const faults = faultsOf(() => selectJars([], { ...vendor, catalog: "jdbc" }));
        expect(faults.map(({ reason }) => reason)).toEqual([
            "the tiering service of version 1.0.0-vv-3 is missing",
            "the S3 file system of version 0.9.1-vv-1 is missing",
            "the Fluss connector for Flink 1.20 of version 1.0.0-vv-3 is missing",
            "the Iceberg lake client of version 1.0.0-vv-3 is missing",
            "Iceberg for Flink 1.20 is missing",
            "the PostgreSQL driver is missing",
        ]);
    });

    it("refuses two versions of the same library", () => {
        const files = [...vendorFiles, "jars/iceberg-flink-runtime-1.20-1.9.0.jar"];
        expect(faultsOf(() => selectJars(files, vendor))).toMatchObject([
            { reason: expect.stringMatching(/there 2 times/) },
        ]);
    });

    it("refuses an entry JAR of another release", () => {
        const files = [...without(vendorFiles, "tiering"), "fluss-flink-tiering-0.9.1-vv-2.jar"];
        expect(() => selectJars(files, vendor)).toThrow(/there is only fluss-flink-tiering-0.9.1-vv-2.jar/);
    });

    it("leaves out what is no library, and the same file from another folder", () => {
        const extra = [
            "jars/README.md",
            "jars/x-sources.jar",
            "jars/again/fluss-lake-iceberg-1.0.0-vv-3.jar",
        ];
        const { leftOut, clientJars } = selectJars([...vendorFiles, ...extra], vendor);
        expect(leftOut.map(({ name }) => name)).toEqual(expect.arrayContaining(extra));
        expect(clientJars).toHaveLength(6);
    });

    it("take the Azure file system on Azure", () => {
        const files = [...without(vendorFiles, "fs-s3-"), "fluss-fs-azure-1.0.0-vv-3.jar"];
        expect(selectJars(files, { ...vendor, storage: "adls" }).clientJars[0]).toBe(
            "fluss-fs-azure-1.0.0-vv-3.jar",
        );
    });
});

describe("client JARs of the open release", () => {
    it("are all there, the S3 file system before any other Hadoop", () => {
        const { tieringJar, clientJars, leftOut } = selectJars(openFiles, open);
        expect(tieringJar).toBe("fluss-flink-tiering-0.9.1-incubating.jar");
        expect(leftOut).toEqual([]);
        expect([...clientJars, tieringJar].sort()).toEqual([...openFiles].sort());
        const firstHadoop = clientJars.findIndex((name) => name.startsWith("hadoop-"));
        expect(clientJars.indexOf("fluss-fs-s3-0.9.1-incubating.jar")).toBeLessThan(firstHadoop);
    });

    it.each(["failsafe", "iceberg-aws-1", "iceberg-aws-bundle", "hadoop-hdfs", "hadoop-mapreduce"])(
        "lack %s",
        (name) => {
            expect(faultsOf(() => selectJars(without(openFiles, name), open))).toHaveLength(1);
        },
    );
});
