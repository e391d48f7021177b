import { describe, expect, it } from "vitest";
import { serverOptions } from "../../../model/fluss-config.ts";
import { selectJars } from "../../../model/jars.ts";
import { defineLake, type LakeInput } from "../../../model/lake.ts";
import { lakeTrouble } from "../../../model/lake-troubles.ts";
import { tieringArguments } from "../../../model/tiering.ts";
import { faultsOf } from "./fixtures/faults.ts";

/** Innermost exceptions as Fluss 0.9.1, Flink 1.20 and the AWS SDK write them; the last ones as the manuals quote them. */
const known: [message: string, reason: RegExp, fix: RegExp][] = [
    [
        "BadRequestException: Malformed request: invalid_scope: The scope is not one",
        /that scope/,
        /auth\.scope/,
    ],
    ["NotAuthorizedException: Not authorized: invalid_client: Invalid", /token endpoint/, /one colon/],
    ["NotAuthorizedException: Not authorized: The token is not valid", /the token/, /rotation/],
    ["RESTException: Unable to process: Warehouse nope does not exist", /no warehouse/, /not its location/],
    [
        'PSQLException: FATAL: password authentication failed for user "iceberg"',
        /PostgreSQL refuses/,
        /catalog\.password/,
    ],
    [
        "SQLException: No suitable driver found for jdbc:postgresql://db/lake",
        /driver/,
        /postgresql-<version>/,
    ],
    ["S3Exception: Access Denied (Service: S3, Status Code: 403, Request ID: x)", /may not/, /LakeBuckets/],
    ["AmazonS3Exception: The AWS Access Key Id you provided does not exist", /does not know/, /rotated/],
    ["NoAuthWithAWSException: No AWS Credentials provided by", /no keys/, /HADOOP_CONF_DIR/],
    ["SdkClientException: Unable to load credentials from any of the providers", /neither/, /accessKey/],
    ['UnsupportedFileSystemException: No FileSystem for scheme "s3"', /s3:\/\//, /fs\.s3\.impl/],
    ["UnsupportedOperationException: Unknown catalog-type: jdbc (Must be", /by type/, /catalog-impl/],
    ["No LakeStoragePlugin available", /lake JARs/, /additional dependencies/],
    ["NoSuchMethodError: Configuration.getEnumSet", /does not load/, /fluss-fs-s3-0\.9\.1-vv-1\.jar/],
    ["NoClassDefFoundError: dev/failsafe/FailsafeException", /dev\.failsafe\./, /Add failsafe-/],
    [
        "ClassNotFoundException: org.apache.fluss.flink.catalog.FlinkCatalogFactory",
        /is missing/,
        /fluss-flink-1\.20/,
    ],
    ["NoClassDefFoundError: org/apache/hadoop/mapreduce/lib/input/FileInputFormat", /mapreduce/, /mapreduce/],
    [
        "NoClassDefFoundError: Could not initialize class software.amazon.awssdk.services.s3.S3Client",
        /software\.amazon/,
        /iceberg-aws-bundle/,
    ],
];

describe("a failure at the lake", () => {
    it.each(known)("%s", (message, reason, fix) => {
        const trouble = lakeTrouble(message);
        expect(trouble?.reason).toMatch(reason);
        expect(trouble?.fix).toMatch(fix);
    });

    it("that nobody knows is not explained", () => {
        for (const message of ["", "NullPointerException", "ClassNotFoundException: com.acme.Udf"]) {
            expect(lakeTrouble(message)).toBeUndefined();
        }
    });
});

describe("known before a job is submitted", () => {
    const client = { bootstrapServers: "fluss:9124" };
    const key = { id: { value: "AKIA" }, secret: { value: "shh" } };
    const storage = { type: "s3", bucket: "lake", region: "eu-central-1", accessKey: key } as const;
    const jdbc = (password: string): LakeInput => ({
        catalog: {
            type: "jdbc",
            name: "lake",
            uri: "jdbc:postgresql://db:5432/lake",
            user: "iceberg",
            password: { value: password },
        },
        storage,
    });
    const ofJob = (password: string) =>
        faultsOf(() => tieringArguments(defineLake(jdbc(password)), client, "value"));
    const ofServers = (password: string) =>
        faultsOf(() =>
            serverOptions(
                { version: "0.9", remote: { ...storage, bucket: "remote" }, lake: jdbc(password) },
                "value",
            ),
        );

    it("is a JDBC password that the job's arguments or the servers' file would change", () => {
        const [fault] = ofJob("two words");
        expect(fault).toMatchObject({
            path: "lake.catalog.password",
            reason: expect.stringMatching(/jdbc\.password contains whitespace/),
        });
        expect(JSON.stringify(fault)).not.toContain("two words");
        for (const [password, reason] of [
            ["num#ber", /contains #/],
            ["{{braces", /template/],
            [" padded ", /ends with a blank/],
            ["line\nbreak", /line break/],
        ] as const) {
            const [fault] = ofServers(password);
            expect(fault).toMatchObject({
                path: expect.stringMatching(/^cluster\.lake\.catalog\.password(\.value)?$/),
                reason: expect.stringMatching(reason),
            });
            expect(JSON.stringify(fault)).not.toContain(password);
        }
    });

    it("is not a password with other odd characters, which npm run test:lakes uses", () => {
        const odd = `p@ss:w/r'd"$&=?%+\\{}ü`;
        expect(tieringArguments(defineLake(jdbc(odd)), client, "value")).toContainEqual([
            "datalake.iceberg.jdbc.password",
            odd,
        ]);
    });

    it("is a lost JAR, by its name", () => {
        const jars = [
            "fluss-flink-tiering-0.9.1-incubating.jar",
            "fluss-fs-s3-0.9.1-incubating.jar",
            "fluss-flink-1.20-0.9.1-incubating.jar",
            "fluss-lake-iceberg-0.9.1-incubating.jar",
            "iceberg-flink-runtime-1.20-1.10.1.jar",
            "iceberg-aws-bundle-1.10.1.jar",
            "iceberg-aws-1.10.1.jar",
            "failsafe-3.3.2.jar",
            "hadoop-hdfs-client-3.3.4.jar",
            "hadoop-mapreduce-client-core-3.3.4.jar",
            "postgresql-42.7.7.jar",
        ];
        const setup = { release: "0.9.1-incubating", catalog: "jdbc", storage: "s3" } as const;
        expect(selectJars(jars, setup).clientJars).toHaveLength(10);
        for (const lost of jars) {
            const found = faultsOf(() =>
                selectJars(
                    jars.filter((jar) => jar !== lost),
                    setup,
                ),
            );
            expect(found, lost).toEqual([
                expect.objectContaining({ reason: expect.stringMatching(/is missing/) }),
            ]);
        }
    });
});
