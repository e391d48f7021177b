import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { JarSetup } from "../../../model/jars.ts";
import { type Entry, type Image, imageOf, type Packing } from "./image.ts";

export const vendor: JarSetup = { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" };

/** What is taken of both images: the tiering JAR, then the client JARs in class path order. */
export const taken = [
    "fluss-flink-tiering-1.0.0-vv-3.jar",
    "fluss-fs-s3-0.9.1-vv-1.jar",
    "fluss-flink-1.20-1.0.0-vv-3.jar",
    "fluss-lake-iceberg-1.0.0-vv-3.jar",
    "iceberg-flink-runtime-1.20-1.10.1.jar",
];

/** Two small images like those of the quickstart: names as in the documentation, folders of our own choice. */
export function quickstartImages(packing: Packing = "gzip"): Record<"1.0.0-vv-3" | "0.9.1-vv-1", Image> {
    return {
        "1.0.0-vv-3": imageOf([newBase, newFluss], packing),
        "0.9.1-vv-1": imageOf(
            [
                [
                    jar("opt/fluss/plugins/s3/fluss-fs-s3-0.9.1-vv-1.jar"),
                    jar("opt/fluss/setup/fluss-flink-1.20-0.9.1-vv-1.jar"),
                    jar("opt/fluss/setup/iceberg-flink-runtime-1.20-1.9.0.jar"),
                ],
            ],
            packing,
        ),
    };
}

/** A JAR whose content tells its name. */
export function jar(file: string, content = `content of ${path.posix.basename(file)}`): Entry {
    return { path: file, content };
}

const newBase: Entry[] = [
    { path: "usr/bin/" },
    { path: "usr/bin/java", content: "no JAR" },
    jar("opt/fluss/lib/fluss-server-1.0.0-vv-3.jar"),
    jar("opt/fluss/setup/fluss-flink-1.20-1.0.0-vv-3.jar", "an older build, replaced by the next layer"),
];
const newFluss: Entry[] = [
    jar("opt/fluss/setup/fluss-flink-1.20-1.0.0-vv-3.jar"),
    jar("opt/fluss/setup/fluss-flink-tiering-1.0.0-vv-3.jar"),
    jar("opt/fluss/plugins/s3/fluss-fs-s3-1.0.0-vv-3.jar"),
    jar("opt/fluss/plugins/iceberg/fluss-lake-iceberg-1.0.0-vv-3.jar"),
    jar("opt/fluss/plugins/iceberg/iceberg-flink-runtime-1.20-1.10.1.jar"),
    // The same JAR a second time, as setups of an image share theirs.
    {
        path: "opt/fluss/setup/fluss-lake-iceberg-1.0.0-vv-3.jar",
        link: "opt/fluss/plugins/iceberg/fluss-lake-iceberg-1.0.0-vv-3.jar",
    },
    jar("opt/fluss/setup/vendor-extra-1.0.jar"),
];

/** A folder of its own, removed after the test. */
export function temporaryFolder(): string {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "client-jars-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    return folder;
}
