import { FaultsError } from "./faults.ts";
import { isNeededJar, isVendorBuild, type JarSetup } from "./jars.ts";

/** An image that brings client JARs, and how. */
export interface JarImage {
    /** Tag of the image: the release. */
    tag: string;
    /** What the image's installer is run for, one run for each, by the folder that it fills. */
    installs: { folder: string; args: string[] }[];
    /** Whether a file of the image, by its name, may be among the JARs. */
    brings(name: string): boolean;
}

/** The vendor's repository of images, as in the quickstart. */
export const vendorImages = "registry.ververica.cloud/platform-images/fluss";

/** Maven's own repository of open releases. */
export const mavenCentral = "https://repo.maven.apache.org/maven2";

/** The installer in the image of Fluss (quickstart, "Installing and Uploading the Client JARs"). */
export const jarInstaller = "/opt/fluss/bin/setup/install.sh";

/**
 * The images for a setup. For 1.0.0-vv-3 on S3 these are two: the S3 file system is that of 0.9.1-vv-1
 * (quickstart, "Reading remote segments fails with NoSuchMethodError").
 */
export function jarImages(setup: JarSetup): JarImage[] {
    const { release, storage } = setup;
    const own: JarImage = {
        tag: release,
        installs: [...lakeInstalls(setup), install("lake-tiering-service")],
        brings: (name) => isNeededJar(name, setup),
    };
    if (release !== "1.0.0-vv-3" || storage === "adls") return [own];
    const fileSystem: JarImage = {
        tag: "0.9.1-vv-1",
        installs: [install("fs-s3")],
        brings: (name) => isNeededJar(name, setup) && /\/?fluss-(fs-s3|flink-1\.\d+)-[^/]*$/.test(name),
    };
    return [own, fileSystem];
}

/** The setups of 0.9 have other names than those of 1.0 ("Running Lakehouse Jobs", the example for the Flink operator). */
function lakeInstalls({ release, catalog, storage }: JarSetup): JarImage["installs"] {
    if (release.startsWith("0.9.")) {
        return [
            install(storage === "adls" ? "lake-iceberg-abs" : "lake-iceberg-s3"),
            install(storage === "adls" ? "fs-azure" : "fs-s3"),
        ];
    }
    const catalogs = { rest: ["--catalog", "rest"], jdbc: ["--catalog", "jdbc-postgres"], hadoop: [] };
    return [install("lake-iceberg", "--fs", storage === "adls" ? "abs" : "s3", ...catalogs[catalog])];
}

function install(setup: string, ...options: string[]): { folder: string; args: string[] } {
    return { folder: setup, args: ["client", setup, ...options] };
}

/**
 * The setup of an open release as Maven coordinates, `group:artifact:version`. What is not of Fluss itself has the
 * versions that 0.9.1-incubating was seen to work with on Flink 1.20 (`local-fluss-flink.md`, `local-lakehouse.md`).
 * @throws FaultsError for a build of the vendor, which is in no Maven repository
 */
export function jarCoordinates({ release, catalog, storage }: JarSetup): string[] {
    if (isVendorBuild(release)) {
        throw new FaultsError("the client JARs", [
            {
                path: "release",
                value: release,
                reason: "is a build of Ververica, which no Maven repository holds",
                fix: "Take the JARs from the image, or give an open release such as 0.9.1-incubating",
            },
        ]);
    }
    const fluss = ["fluss-flink-tiering", "fluss-flink-1.20", "fluss-lake-iceberg"];
    const fileSystem = storage === "adls" ? "fluss-fs-azure" : "fluss-fs-s3";
    return [
        ...[...fluss, fileSystem].map((artifact) => `org.apache.fluss:${artifact}:${release}`),
        "org.apache.iceberg:iceberg-flink-runtime-1.20:1.10.1",
        ...(catalog === "jdbc" ? ["org.postgresql:postgresql:42.7.7"] : []),
        ...(storage === "adls" ? [] : onS3),
    ];
}

/** iceberg-aws has S3FileIO, the bundle the AWS SDK; Hadoop's parts must be of the version inside of fluss-fs-s3. */
const onS3 = [
    "org.apache.iceberg:iceberg-aws-bundle:1.10.1",
    "org.apache.iceberg:iceberg-aws:1.10.1",
    "dev.failsafe:failsafe:3.3.2",
    "org.apache.hadoop:hadoop-hdfs-client:3.3.4",
    "org.apache.hadoop:hadoop-mapreduce-client-core:3.3.4",
];
