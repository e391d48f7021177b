import { type Fault, throwFaults } from "./faults.ts";
import type { Lake } from "./lake.ts";

/** Which JARs a job needs. */
export interface JarSetup {
    /** Fluss release: `1.0.0-vv-3` and other vendor builds, or an open one such as `0.9.1-incubating`. */
    release: string;
    catalog: Lake["catalog"]["type"];
    storage: Lake["storage"]["type"];
}

/** The JARs of a folder, told apart. Names are those that were given, folders included. */
export interface JarSelection {
    /** Entry JAR of the tiering job; never on a class path. */
    tieringJar: string;
    /** What every job that touches Fluss or the lake carries, in an order that is safe as a class path. */
    clientJars: string[];
    leftOut: { name: string; reason: string }[];
}

/**
 * Tells the JARs that an installer left (or a build of open parts) apart.
 *
 * For 1.0.0-vv-3 on S3 this makes the quickstart's two exclusions: its own S3 file system fails on
 * vera-4.5-jdk11-flink-1.20 with `NoSuchMethodError: Configuration.getEnumSet` and gives way to that of 0.9.1-vv-1,
 * and the connector that comes with the latter is left out. JARs that it does not know are client JARs: the vendor's
 * setups bring some whose names are not documented.
 *
 * Throws a `FaultsError` that names every JAR which is missing, is there in another version only, or is there twice.
 */
export function selectJars(fileNames: readonly string[], setup: JarSetup): JarSelection {
    const leftOut: JarSelection["leftOut"] = [];
    const seen = new Set<string>();
    const candidates = fileNames.filter((name) => {
        const base = baseName(name);
        const reason =
            noLibrary(base) ?? (seen.has(base) ? "is there already, from another folder" : undefined);
        seen.add(base);
        if (reason) leftOut.push({ name, reason });
        return !reason;
    });
    const faults: Fault[] = [];
    const needs = neededJars(setup);
    const picked = new Map<Need, string>();
    for (const need of needs) {
        const family = candidates.filter((name) => need.family.test(baseName(name)));
        const right = family.filter((name) => isRight(name, need));
        if (right.length === 1) picked.set(need, right[0]!);
        else faults.push(countFault(need, right, family));
        for (const name of family) if (!right.includes(name)) leftOut.push({ name, reason: need.otherwise });
    }
    throwFaults("the client JARs", faults);
    const chosen = new Set(picked.values());
    const known = (name: string) => needs.some(({ family }) => family.test(baseName(name)));
    const [tiering, ...client] = needs.map((need) => picked.get(need)!);
    return {
        tieringJar: tiering!,
        // The S3 file system holds Hadoop 3.3 and must come before any other Hadoop: neededJars names it first.
        clientJars: [...client, ...candidates.filter((name) => !known(name) && !chosen.has(name))],
        leftOut,
    };
}

/** Whether a file, by its name, is a JAR that the setup needs, in whatever version. */
export function isNeededJar(name: string, setup: JarSetup): boolean {
    const base = baseName(name);
    return noLibrary(base) === undefined && neededJars(setup).some(({ family }) => family.test(base));
}

/** One JAR that must be there. */
interface Need {
    what: string;
    /** Matches the file names of all its versions; the first group is the version. */
    family: RegExp;
    /** The version that it must have; any, if absent. */
    version?: string;
    /** Version of Flink that its name must hold: `1.20`; any, if absent. */
    flink?: string;
    /** Why a JAR of the family in another version is left out. */
    otherwise: string;
    /** Where it comes from, for whoever misses it. */
    source: string;
}

/** The tiering JAR first, then the client JARs in class path order. */
function neededJars({ release, catalog, storage }: JarSetup): Need[] {
    const vendor = isVendorBuild(release);
    const other = `is not of release ${release}`;
    const installer = (name: string) =>
        vendor ? `the installer's setup ${name}` : "the release's artifacts";
    const lakeSetup = installer("client lake-iceberg");
    const needs: Need[] = [
        {
            what: "the tiering service",
            family: /^fluss-flink-tiering-(\d.*)\.jar$/,
            version: release,
            otherwise: other,
            source: installer("client lake-tiering-service"),
        },
        fileSystem(release, storage),
        {
            what: "the Fluss connector for Flink 1.20",
            // All of them, so that no other one is taken for a JAR that is not known.
            family: /^fluss-flink-\d+\.\d+-(\d.*)\.jar$/,
            version: release,
            flink: "1.20",
            otherwise: `${other} for Flink 1.20: the connector of the release itself is used`,
            source: lakeSetup,
        },
        {
            what: "the Iceberg lake client",
            family: /^fluss-lake-iceberg-(\d.*)\.jar$/,
            version: release,
            otherwise: other,
            source: lakeSetup,
        },
        {
            what: "Iceberg for Flink 1.20",
            family: /^iceberg-flink-runtime-\d+\.\d+-(\d.*)\.jar$/,
            flink: "1.20",
            otherwise: "is not for Flink 1.20",
            source: lakeSetup,
        },
    ];
    if (catalog === "jdbc") {
        needs.push({
            what: "the PostgreSQL driver",
            family: /^postgresql-(\d.*)\.jar$/,
            otherwise: other,
            source: installer("client lake-iceberg --catalog jdbc-postgres"),
        });
    }
    return vendor || storage === "adls" ? needs : [...needs, ...openS3Needs];
}

function fileSystem(release: string, storage: JarSetup["storage"]): Need {
    if (storage === "adls") {
        return {
            what: "the Azure file system",
            family: /^fluss-fs-azure-(\d.*)\.jar$/,
            version: release,
            otherwise: `is not of release ${release}`,
            source: "the installer's setup client fs-azure",
        };
    }
    const need = { what: "the S3 file system", family: /^fluss-fs-s3-(\d.*)\.jar$/ };
    if (release === "1.0.0-vv-3") {
        return {
            ...need,
            version: "0.9.1-vv-1",
            otherwise:
                "fails on vera-4.5-jdk11-flink-1.20 with NoSuchMethodError: Configuration.getEnumSet; that of 0.9.1-vv-1 replaces it",
            source: "the setup client fs-s3 of the image fluss:0.9.1-vv-1",
        };
    }
    return {
        ...need,
        version: release,
        otherwise: `is not of release ${release}`,
        source: isVendorBuild(release) ? "the installer's setup client fs-s3" : "the release's artifacts",
    };
}

/** What an open build needs besides, to read and write Iceberg on S3; observed with 0.9.1-incubating and Flink 1.20. */
const openS3Needs: Need[] = [
    { what: "the AWS SDK", family: /^iceberg-aws-bundle-(\d.*)\.jar$/ },
    { what: "Iceberg's S3 client", family: /^iceberg-aws-(\d.*)\.jar$/ },
    { what: "Failsafe, which Iceberg's S3 client needs", family: /^failsafe-(\d.*)\.jar$/ },
    { what: "Hadoop's HDFS client, to plan lake reads", family: /^hadoop-hdfs-client-(\d.*)\.jar$/ },
    {
        what: "Hadoop's MapReduce core, to read Parquet",
        family: /^hadoop-mapreduce-client-core-(\d.*)\.jar$/,
    },
].map((need) => ({ ...need, otherwise: "is another version", source: "the release's artifacts" }));

/** Whether a release is Ververica's, such as `1.0.0-vv-3`: its JARs come with its image, those of open ones by Maven. */
export function isVendorBuild(release: string): boolean {
    return /-vv-\d+$/.test(release);
}

function baseName(name: string): string {
    return name.slice(name.lastIndexOf("/") + 1);
}

function isRight(name: string, { family, version, flink }: Need): boolean {
    const base = baseName(name);
    if (flink !== undefined && !base.includes(`-${flink}-`)) return false;
    return version === undefined || family.exec(base)?.[1] === version;
}

function noLibrary(base: string): string | undefined {
    if (!base.endsWith(".jar")) return "is no JAR";
    return /-(sources|javadoc|tests)\.jar$/.test(base) ? "holds no classes that a job needs" : undefined;
}

function countFault(need: Need, right: readonly string[], family: readonly string[]): Fault {
    const path = "jars";
    if (right.length > 1) {
        const reason = `${need.what} is there ${right.length} times: ${right.join(", ")}`;
        return { path, reason, fix: "Keep one of them" };
    }
    const wanted = need.version ? `${need.what} of version ${need.version}` : need.what;
    const instead = family.length > 0 ? `; there is only ${family.join(", ")}` : "";
    return { path, reason: `${wanted} is missing${instead}`, fix: `Take it from ${need.source}` };
}
