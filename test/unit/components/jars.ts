import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** What the installers of the quickstart leave for 1.0.0-vv-3 on S3, with the two JARs that are not uploaded. */
export const installed = [
    "fs-s3/fluss-flink-1.20-0.9.1-vv-1.jar",
    "fs-s3/fluss-fs-s3-0.9.1-vv-1.jar",
    "lake-iceberg/fluss-flink-1.20-1.0.0-vv-3.jar",
    "lake-iceberg/fluss-fs-s3-1.0.0-vv-3.jar",
    "lake-iceberg/fluss-lake-iceberg-1.0.0-vv-3.jar",
    "lake-iceberg/iceberg-flink-runtime-1.20-1.10.1.jar",
    "lake-tiering-service/fluss-flink-tiering-1.0.0-vv-3.jar",
];

/** What is uploaded of them: the tiering JAR, then the client JARs in class path order. */
export const uploaded = [
    "fluss-flink-tiering-1.0.0-vv-3.jar",
    "fluss-fs-s3-0.9.1-vv-1.jar",
    "fluss-flink-1.20-1.0.0-vv-3.jar",
    "fluss-lake-iceberg-1.0.0-vv-3.jar",
    "iceberg-flink-runtime-1.20-1.10.1.jar",
];

/** URIs of the client JARs, as the mocks make them. */
export const clientUris = uploaded.slice(1).map((name) => `s3i://artifacts/${name}`);

/** A folder with such files, empty ones, and a file that is no JAR; removed after the test. */
export function jarsFolder(files: readonly string[] = installed): string {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "client-jars-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    writeJars(folder, [...files, "lake-iceberg/LICENSE"]);
    return folder;
}

/** Writes such files into a folder, empty ones. */
export function writeJars(folder: string, files: readonly string[] = installed): void {
    for (const file of files) {
        fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        fs.writeFileSync(path.join(folder, file), "");
    }
}
