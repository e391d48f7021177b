/** What a failure at the lake means, in words that name what to change. */
export interface LakeTrouble {
    reason: string;
    /** What to do. */
    fix: string;
}

/**
 * Explains the failure of a server, a job or a read that touches the lake, by the text of its innermost exception: what
 * the troubleshooting of the quickstart and of "Running Lakehouse Jobs" tells, and what was seen on Fluss 0.9.1. Undefined for
 * a failure that is not known.
 */
export function lakeTrouble(message: string): LakeTrouble | undefined {
    return troubles.find(([pattern]) => pattern.test(message))?.[1] ?? missingClass(message);
}

const troubles: [RegExp, LakeTrouble][] = [
    [
        /invalid_scope/,
        {
            reason: "the catalog does not give this OAuth client that scope",
            fix: "Set lake.catalog.auth.scope to one that the catalog associates with the principal, such as PRINCIPAL_ROLE:ALL",
        },
    ],
    [
        /invalid_client/,
        {
            reason: "the catalog's token endpoint does not know the OAuth client, or its secret is another one",
            fix: "Check clientId and clientSecret; where one secret value holds both, it is <id>:<secret> with one colon and no scheme",
        },
    ],
    [
        /NoSuchWarehouse|\bWarehouse \S+ (?:does not exist|not found|could not be found)/i,
        {
            reason: "the catalog has no warehouse of that name",
            fix: "Set lake.catalog.warehouse to the warehouse's name, not its location, or make the warehouse first",
        },
    ],
    [
        /Not authorized|NotAuthorizedException|REST catalog Unauthorized|Failed to obtain access token/,
        {
            reason: "the REST catalog does not take the token",
            fix: "Give the token that the catalog knows; after a rotation the servers, the tiering job and the SQL catalog all need the new one",
        },
    ],
    [
        /password authentication failed for user/,
        {
            reason: "PostgreSQL refuses the user or the password of the JDBC catalog",
            fix: "Check lake.catalog.user and lake.catalog.password; the servers, the tiering job and the SQL catalog need the same",
        },
    ],
    [
        /No suitable driver/,
        {
            reason: "the PostgreSQL driver is not on the class path",
            fix: "Add postgresql-<version>.jar to the client JARs and to the servers' Iceberg plugin (setup lake-iceberg --catalog jdbc-postgres)",
        },
    ],
    [
        /No AWS Credentials provided|NoAuthWithAWSException/,
        {
            reason: "Hadoop has no keys of the lake's store",
            fix: "Put the file of coreSiteXml into the HADOOP_CONF_DIR of the servers and of every Flink; on VVP check the IAM policy of the platform's principal",
        },
    ],
    [
        /Unable to load credentials from any of the providers/,
        {
            reason: "neither the catalog nor the lake has keys of the store",
            fix: "Give lake.storage.accessKey, or let the catalog hand keys out (vendedCredentials)",
        },
    ],
    [
        /InvalidAccessKeyId|Access Key Id you provided does not exist|SignatureDoesNotMatch/,
        {
            reason: "the store does not know the access key, or its secret is another one",
            fix: "Check the access key of the lake and of the catalog's warehouse; a key that was rotated away must be replaced everywhere first",
        },
    ],
    [
        /Access ?Denied/,
        {
            reason: "the store's key may not do that in the bucket",
            fix: "Give its IAM user the rights that LakeBuckets gives: list the bucket; get, put and delete its objects",
        },
    ],
    [
        /No FileSystem for scheme "s3"/,
        {
            reason: "Hadoop reads a lake at s3://… and knows s3a:// only",
            fix: "Use the core-site.xml of coreSiteXml, which has fs.s3.impl, or let Iceberg's own client read the files (fileIo: native)",
        },
    ],
    [
        /No LakeStoragePlugin available/,
        {
            reason: "the lake JARs are missing",
            fix: "Add all client JARs to the job's additional dependencies: fluss-lake-iceberg-<release>.jar is not among them",
        },
    ],
    [
        /Configuration\.getEnumSet/,
        {
            reason: "fluss-fs-s3-1.0.0-vv-3.jar does not load on this engine",
            fix: "Use fluss-fs-s3-0.9.1-vv-1.jar in its place",
        },
    ],
    [
        /Unknown catalog-type: jdbc/,
        {
            reason: "the servers name the JDBC catalog by type, and reads of t$lake do not know that type",
            fix: "Name it by catalog-impl, as the options of a lake do",
        },
    ],
];

/** Beginnings of class names, and the JAR that holds such classes. */
const jarsOfClasses: [string, string][] = [
    ["dev.failsafe.", "failsafe-<version>.jar"],
    ["org.apache.iceberg.aws.", "iceberg-aws-<version>.jar"],
    ["software.amazon.", "iceberg-aws-bundle-<version>.jar"],
    ["org.apache.iceberg.flink.", "iceberg-flink-runtime-1.20-<version>.jar"],
    ["org.apache.hadoop.hdfs.", "hadoop-hdfs-client-<version>.jar"],
    ["org.apache.hadoop.mapreduce.", "hadoop-mapreduce-client-core-<version>.jar"],
    ["org.apache.hadoop.fs.s3a.", "fluss-fs-s3-<release>.jar"],
    ["org.apache.fluss.fs.s3.", "fluss-fs-s3-<release>.jar"],
    ["com.amazonaws.", "fluss-fs-s3-<release>.jar"],
    ["org.apache.fluss.fs.azure.", "fluss-fs-azure-<release>.jar"],
    ["org.apache.fluss.lake.iceberg.", "fluss-lake-iceberg-<release>.jar"],
    ["org.apache.fluss.flink.", "fluss-flink-1.20-<release>.jar"],
    ["org.postgresql.", "postgresql-<version>.jar"],
];

function missingClass(message: string): LakeTrouble | undefined {
    const found =
        /(?:ClassNotFoundException|NoClassDefFoundError)\W+(?:Could not initialize class )?([\w./$]+)/.exec(
            message,
        )?.[1];
    if (found === undefined) return undefined;
    const name = found.replaceAll("/", ".");
    const jar = jarsOfClasses.find(([start]) => name.startsWith(start))?.[1];
    if (jar === undefined) return undefined;
    return { reason: `${name} is missing: its JAR is not on the class path`, fix: `Add ${jar}` };
}
