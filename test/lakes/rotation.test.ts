import { DeleteAccessKeyCommand, ListAccessKeysCommand } from "@aws-sdk/client-iam";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
    icebergCatalogUrl,
    type ServiceSpec,
    Supervisor,
    startTogether,
    zookeeper,
} from "../../local/services/index.ts";
import { iamOf, keyOf, makeKey, makeUser, placeOf } from "../fluss/buckets.ts";
import { secret } from "../fluss/lakehouse.ts";
import { startTokenProxy, type TokenProxy } from "../fluss/token-proxy.ts";
import { type Bed, restCatalog, type S3Key } from "./bed.ts";
import { LakeCluster } from "./cluster.ts";
import { Flow } from "./flow.ts";
import { lakesOf } from "./lakes.ts";

/** Every secret, as `npm run test:long` replaces it; else those whose order matters most. */
const all = process.env["PULUMI_FLUSS_ROTATIONS"] === "all";

const shared = inject("lakesBed");
const name = "rotating";
const firstToken = secret();
let catalog: TokenProxy;
let cluster: LakeCluster;
let flow: Flow;
let first: S3Key;
let s3User: Bed["s3User"];

const userWith = (key: S3Key): Bed["s3User"] => ({ ...shared.s3User, ...key, name });
const restartCatalog = (key: S3Key) => startTogether(new Supervisor(shared.root), [restCatalog(shared, key)]);

/** The lake whose catalog takes this token. */
function lakeWith(token: string) {
    const bed: Bed = { ...shared, s3User, rest: { ...shared.rest, url: catalog.url, token } };
    return lakesOf(bed).find((lake) => lake.catalog === "REST, token")!.lake;
}

beforeAll(async () => {
    const { warehouse } = shared.rest;
    catalog = await startTokenProxy({
        backend: icebergCatalogUrl(shared.ports),
        token: firstToken,
        warehouse,
    });
    first = await makeUser(shared.s3, name, shared.s3User.policy);
    await restartCatalog(first);
    s3User = userWith(first);
    cluster = await LakeCluster.start({ ...shared, s3User }, lakeWith(firstToken), name);
    flow = await Flow.start(cluster);
});

afterAll(async () => {
    await cluster?.stop();
    await catalog?.close();
    await restartCatalog(shared.s3User);
});

describe("while rows flow and tier, no write fails, and the old one is dead afterwards:", () => {
    test("the key of the store, in two steps", async () => {
        // As `keys` of LakeBuckets has it: the second key first, everybody changes over, then the first one is deleted.
        const second = await makeKey(shared.s3, name);
        expect(await keys()).toHaveLength(2);
        await restartCatalog(second);
        s3User = userWith(second);
        await cluster.rotate({ s3User });
        await flow.reopen();
        await flow.expectMore(1);
        await iamOf(shared.s3).send(
            new DeleteAccessKeyCommand({ UserName: name, AccessKeyId: first.accessKeyId }),
        );
        await flow.expectMore(500);
        expect(await keys()).toEqual([second.accessKeyId]);
        const old = new S3Client({ ...placeOf(shared.s3), credentials: keyOf(first), forcePathStyle: true });
        await expect(old.send(new ListObjectsV2Command({ Bucket: shared.buckets.lake }))).rejects.toThrow();
    }, 300_000);

    test("the user of the clients: a second one beside it, jobs change over, then the first one goes", async () => {
        const old = cluster.user;
        const next = { username: "fluss-next", password: secret() };
        await cluster.rotate({ users: [old, next] });
        await flow.expectMore(1);
        cluster.user = next;
        await flow.changeOver();
        await cluster.rotate({ users: [next] });
        await flow.expectMore(500);
        await expect(cluster.openAs(old)).rejects.toThrow(/[Aa]uthentication/);
    }, 300_000);

    test.runIf(all)(
        "the password of the servers among themselves, in one restart of all",
        async () => {
            const old = { username: "internal", password: shared.fluss.internalPassword };
            // Servers know it as a user like any other.
            await cluster.openAs(old).then((session) => session.close());
            await cluster.rotate({ internal: { ...old, password: secret() } });
            await flow.expectMore(500);
            await expect(cluster.openAs(old)).rejects.toThrow(/[Aa]uthentication/);
        },
        300_000,
    );

    test.runIf(all)(
        "the token of the lake's catalog: both are good while servers and jobs change over",
        async () => {
            const token = secret();
            catalog.accept(token);
            await cluster.rotate({ lake: lakeWith(token) });
            await flow.changeOver();
            catalog.refuse(firstToken);
            await flow.expectMore(500);
            const answer = await fetch(`${catalog.url}/v1/config?warehouse=${shared.rest.warehouse}`, {
                headers: { authorization: `Bearer ${firstToken}` },
            });
            expect(answer.status).toBe(401);
        },
        300_000,
    );

    test.runIf(all)(
        "the password of ZooKeeper, in one restart of it and the servers",
        async () => {
            const [old, next] = [secret(), secret()];
            const start = (spec: ServiceSpec) => () => startTogether(new Supervisor(shared.root), [spec]);
            const loggedInWith = (password: string) => (server: ServiceSpec) => loggedIn(server, password);
            try {
                await cluster.rotate({ java: loggedInWith(old) }, start(guardedZookeeper(old)));
                await flow.expectMore(1);
                await cluster.rotate({ java: loggedInWith(next) }, start(guardedZookeeper(next)));
                await flow.expectMore(500);
                // Servers that come with the old one do not get in.
                const late = (server: ServiceSpec) => ({ ...loggedIn(server, old), deadlineSeconds: 20 });
                await expect(cluster.rotate({ java: late })).rejects.toThrow();
            } finally {
                await cluster.rotate({ java: (server) => server }, start(plainZookeeper()));
            }
        },
        300_000,
    );

    test("what was written is in the lake, each row once", async () => {
        await flow.end();
    }, 120_000);
});

async function keys(): Promise<(string | undefined)[]> {
    const { AccessKeyMetadata = [] } = await iamOf(shared.s3).send(
        new ListAccessKeysCommand({ UserName: name }),
    );
    return AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId);
}

const plainZookeeper = () => zookeeper(shared.tools, shared.ports, shared.root);

const digestLogin = "org.apache.fluss.shaded.zookeeper3.org.apache.zookeeper.server.auth.DigestLoginModule";

/** ZooKeeper that takes nobody without a login, as the bundle's chart configures it. */
function guardedZookeeper(password: string): ServiceSpec {
    const options = [
        "-Dzookeeper.enforce.auth.enabled=true",
        "-Dzookeeper.enforce.auth.schemes=sasl",
        "-Dzookeeper.authProvider.1=org.apache.fluss.shaded.zookeeper3.org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
    ];
    return withJaas(plainZookeeper(), "Server", `user_zookeeper="${password}"`, options);
}

function loggedIn(server: ServiceSpec, password: string): ServiceSpec {
    return withJaas(server, "Client", `username="zookeeper" password="${password}"`);
}

function withJaas(spec: ServiceSpec, section: string, login: string, options: string[] = []): ServiceSpec {
    return {
        ...spec,
        args: ["-Djava.security.auth.login.config=jaas.conf", ...options, ...spec.args],
        files: { ...spec.files, "jaas.conf": `${section} {\n    ${digestLogin} required ${login};\n};\n` },
    };
}
