import { describe, expect, it } from "vitest";
import { storageSchema } from "../../../dynamic-providers/lakekeeper/storage/index.ts";
import {
    awsStorage,
    cephStorage,
    minioStorage,
    noobaaStorage,
    odfStorage,
    r2Storage,
} from "../../../dynamic-providers/lakekeeper/storage/presets.ts";

describe("presets", () => {
    const store = { bucket: "lake", keyPrefix: "p", endpoint: "http://store:9000" };
    const compatible = {
        type: "s3",
        flavor: "s3-compat",
        bucket: "lake",
        keyPrefix: "p",
        endpoint: "http://store:9000",
        region: "us-east-1",
        pathStyleAccess: true,
        legacyMd5Behavior: true,
    };
    const noSts = { ...compatible, stsEnabled: false, remoteSigningEnabled: true };
    it.each<[string, object, object]>([
        [
            "AWS with a role",
            awsStorage({ bucket: "lake", region: "eu-west-1", roleArn: "arn:aws:iam::1:role/r" }),
            {
                type: "s3",
                flavor: "aws",
                bucket: "lake",
                region: "eu-west-1",
                stsEnabled: true,
                stsRoleArn: "arn:aws:iam::1:role/r",
            },
        ],
        [
            "AWS without a role",
            awsStorage({ bucket: "lake", region: "eu-west-1" }),
            { type: "s3", flavor: "aws", bucket: "lake", region: "eu-west-1", stsEnabled: false },
        ],
        ["MinIO", minioStorage(store), { ...compatible, stsEnabled: true }],
        ["Ceph", cephStorage(store), { ...compatible, stsEnabled: false }],
        ["NooBaa", noobaaStorage(store), noSts],
        ["ODF", odfStorage(store), noSts],
        [
            "ODF with its Ceph",
            odfStorage({ ...store, gateway: "rgw", roleArn: "arn:r" }),
            { ...compatible, stsEnabled: true, stsRoleArn: "arn:r" },
        ],
        [
            "R2 in the EU",
            r2Storage({ bucket: "lake", accountId: "acc", jurisdiction: "eu" }),
            {
                type: "s3",
                flavor: "s3-compat",
                bucket: "lake",
                region: "auto",
                endpoint: "https://acc.eu.r2.cloudflarestorage.com",
                stsEnabled: true,
            },
        ],
    ])("%s", (_store, preset, expected) => {
        expect(JSON.parse(JSON.stringify(preset))).toEqual(expected);
        expect(storageSchema.safeParse(JSON.parse(JSON.stringify(preset))).success).toBe(true);
    });
});
