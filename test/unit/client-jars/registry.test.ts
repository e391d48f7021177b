import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { fetchClientJars } from "../../../dynamic-providers/client-jars/fetch.ts";
import { readImageJars } from "../../../dynamic-providers/client-jars/image-jars.ts";
import { parseRepository } from "../../../dynamic-providers/client-jars/image-reference.ts";
import { readJarList } from "../../../dynamic-providers/client-jars/jar-list.ts";
import { ImageRegistry } from "../../../dynamic-providers/client-jars/registry.ts";
import { type Behaviour, type FakeRegistry, fakeRegistry, login } from "./fake-registry.ts";
import { digestOf, type Image, imageOf, type Packing } from "./image.ts";
import { jar, quickstartImages, taken, temporaryFolder, vendor } from "./jar-images.ts";

beforeEach(() => {
    // No login of whoever runs this.
    const nowhere = path.join(temporaryFolder(), "nowhere");
    for (const name of ["DOCKER_CONFIG", "HELM_REGISTRY_CONFIG"]) vi.stubEnv(name, nowhere);
});
afterEach(() => vi.unstubAllEnvs());

const logIn = (host: string, password = login.password) => {
    vi.stubEnv("FLUSS_REGISTRY_HOST", host);
    vi.stubEnv("FLUSS_REGISTRY_USERNAME", login.username);
    vi.stubEnv("FLUSS_REGISTRY_PASSWORD", password);
};

const fetchFrom = async ({ repository }: { repository: string }, also: string[] = []) => {
    const folder = path.join(temporaryFolder(), "jars");
    const told: string[] = [];
    const source = { kind: "registry", repository, also } as const;
    const selection = await fetchClientJars({
        setup: vendor,
        source,
        folder,
        report: (line) => told.push(line),
    });
    return { folder, told, selection };
};

const failureOf = async (registry: FakeRegistry) => {
    const message = await fetchFrom(registry).then(
        () => "no failure",
        (error: Error) => error.message,
    );
    // Neither as it is nor as it is sent.
    for (const secret of [
        login.password,
        Buffer.from(`${login.username}:${login.password}`).toString("base64"),
        "token-of",
    ])
        expect(message).not.toContain(secret);
    return message;
};

describe("JARs out of an image's layers", () => {
    test.each<Packing>(["gzip", "docker-gzip", "zstd", "tar"])(
        "packed as %s, are the quickstart's",
        async (packing) => {
            const registry = await fakeRegistry(quickstartImages(packing));
            const { folder, selection } = await fetchFrom(registry);
            expect(
                [selection.tieringJar, ...selection.clientJars].map((name) => path.basename(name)),
            ).toEqual(taken);
            expect(fs.readdirSync(folder).sort()).toEqual([...taken, "client-jars.json"].sort());
            for (const { file, sha256, size } of readJarList(folder)!.jars) {
                const content = fs.readFileSync(path.join(folder, file));
                expect(content.toString()).toBe(`content of ${file}`);
                expect([createHash("sha256").update(content).digest("hex"), content.length]).toEqual([
                    sha256,
                    size,
                ]);
            }
            // The two exclusions, with their reasons.
            const reasonOf = (name: string) =>
                selection.leftOut.find((one) => one.name.endsWith(name))?.reason;
            expect(reasonOf("/fluss-fs-s3-1.0.0-vv-3.jar")).toMatch(/getEnumSet/);
            expect(reasonOf("/fluss-flink-1.20-0.9.1-vv-1.jar")).toMatch(/connector of the release itself/);
        },
    );

    test("of another name are told, and taken by name", async () => {
        const registry = await fakeRegistry(quickstartImages());
        const { folder, told } = await fetchFrom(registry, ["vendor-extra"]);
        expect(told.at(-1)).toBe("further JARs of the image, for --also: fluss-server-1.0.0-vv-3.jar");
        expect(readJarList(folder)!.jars.at(-1)!.file).toBe("vendor-extra-1.0.jar");
    });

    test("deleted or replaced by a later layer are not taken", async () => {
        const below = (folder: string, name: string) => jar(`${folder}/${name}`, "of a lower layer");
        const layers = [
            [
                below("opt/a", "fluss-flink-tiering-0.9.0.jar"),
                below("opt/b/deep", "fluss-flink-1.20-0.9.0.jar"),
                below("opt/c/deep", "fluss-lake-iceberg-0.9.0.jar"),
                below("opt/d", "iceberg-flink-runtime-1.20-1.0.jar"),
                below("opt/e", "fluss-fs-s3-0.9.0.jar"),
                below("opt/kept", "kept-1.0.jar"),
            ],
            [
                // A file, a folder, all that a folder held, and a folder that became a link.
                { path: "opt/a/.wh.fluss-flink-tiering-0.9.0.jar" },
                { path: "opt/.wh.b" },
                { path: "opt/c/.wh..wh..opq" },
                jar("opt/c/deep/kept-2.0.jar"),
                { path: "opt/d", symlink: "kept" },
                { path: "opt/e/", content: "" },
                { path: "opt/e/.wh..wh..opq" },
            ],
        ];
        const files = await readAll(imageOf(layers));
        expect(files).toEqual({
            "opt/c/deep/kept-2.0.jar": "content of kept-2.0.jar",
            "opt/kept/kept-1.0.jar": "of a lower layer",
        });
    });

    test("with long paths, and as links, are read", async () => {
        const long = `opt/${"folder/".repeat(20)}a.jar`;
        const longer = `opt/${"folder/".repeat(60)}b.jar`;
        const files = await readAll(
            imageOf([
                [jar(long), jar(longer), { path: "./opt/x/c.jar", content: "" }, jar("opt/x/g.jar")],
                [
                    { path: "opt/d.jar", link: "opt/x/g.jar" },
                    { path: "opt/y/e.jar", symlink: "../x/c.jar" },
                    jar("opt/../../etc/f.jar"),
                ],
            ]),
        );
        expect(files).toEqual({
            [long]: "content of a.jar",
            [longer]: "content of b.jar",
            "opt/x/c.jar": "",
            "opt/d.jar": "content of g.jar",
            "opt/x/g.jar": "content of g.jar",
            "opt/y/e.jar": "",
        });
    });

    test("that are links to what is not there are told", async () => {
        const image = imageOf([[{ path: "opt/a.jar", symlink: "/nowhere/b.bin" }]]);
        await expect(readAll(image)).rejects.toThrow(
            "opt/a.jar in the image is a link to nowhere/b.bin, which is not among the JARs that were read",
        );
    });

    test("come by an index, from the image for Linux", async () => {
        const { "1.0.0-vv-3": own, "0.9.1-vv-1": other } = quickstartImages();
        const entry = (image: Image, platform: object) => ({
            mediaType: "application/vnd.oci.image.manifest.v1+json",
            digest: image.digest,
            size: image.manifest.length,
            platform,
        });
        const empty = imageOf([[]]);
        const manifests = [
            entry(empty, { os: "unknown", architecture: "unknown" }),
            entry(empty, { os: "linux", architecture: "arm64" }),
            entry(own, { os: "linux", architecture: "amd64" }),
        ];
        const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, manifests }));
        const index: Image = { ...own, manifest, digest: digestOf(manifest) };
        const registry = await fakeRegistry({
            "1.0.0-vv-3": index,
            "0.9.1-vv-1": other,
            amd64: own,
            arm64: empty,
        });
        const { folder } = await fetchFrom(registry);
        // By the digest of what the tag names, so that it is the same image for ever.
        expect(readJarList(folder)!.jars[0]!.from).toMatchObject({ digest: index.digest });
    });

    test("of one name with two contents are refused", async () => {
        const images = quickstartImages();
        const twin = jar("opt/other/fluss-flink-tiering-1.0.0-vv-3.jar", "another build");
        const registry = await fakeRegistry({
            ...images,
            "1.0.0-vv-3": imageOf([[jar("opt/fluss-flink-tiering-1.0.0-vv-3.jar"), twin]]),
        });
        expect(await failureOf(registry)).toMatch(
            /other\/fluss-flink-tiering-1\.0\.0-vv-3\.jar: is another file than/,
        );
    });

    test("that are missing are all named, and the folder stays as it was", async () => {
        const images = quickstartImages();
        const registry = await fakeRegistry({
            ...images,
            "1.0.0-vv-3": imageOf([[jar("opt/fluss-flink-1.20-1.0.0-vv-3.jar")]]),
        });
        const folder = path.join(temporaryFolder(), "jars");
        const source = { kind: "registry", repository: registry.repository } as const;
        await expect(fetchClientJars({ setup: vendor, source, folder })).rejects.toThrow(
            /3 faults in the client JARs:.*tiering service of version 1\.0\.0-vv-3 is missing.*Iceberg lake client.*Iceberg for Flink/s,
        );
        expect(fs.readdirSync(folder)).toEqual([]);
    });
});

describe("the login", () => {
    test.each(["basic", "bearer"] as const)("is given by %s", async (auth) => {
        const registry = await fakeRegistry(quickstartImages(), { auth });
        logIn(registry.host);
        const { folder } = await fetchFrom(registry);
        expect(fs.readFileSync(path.join(folder, "client-jars.json"), "utf8")).not.toMatch(
            /pässword|cHVsbGVy/,
        );
    });

    test("that is missing is told, with how to log in", async () => {
        const registry = await fakeRegistry(quickstartImages(), { auth: "basic" });
        expect(await failureOf(registry)).toMatch(
            /read the manifest of .*401 UNAUTHORIZED: authentication required.*wants a login, and there is none: `docker login/s,
        );
    });

    test.each(["basic", "bearer"] as const)("that is wrong is told without it (%s)", async (auth) => {
        const registry = await fakeRegistry(quickstartImages(), { auth });
        logIn(registry.host, "not-the-pässword");
        const message = await failureOf(registry);
        expect(message).toMatch(/401.*does not take the login from FLUSS_REGISTRY_USERNAME/s);
        expect(message).not.toContain("not-the-p");
    });

    test("is not sent to a host that it is not for", async () => {
        const registry = await fakeRegistry(quickstartImages());
        logIn("registry.example.com");
        await fetchFrom(registry);
        expect(registry.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    });

    test("is not sent to a token service without TLS", async () => {
        const registry = await fakeRegistry(quickstartImages(), {
            auth: "bearer",
            realm: "http://tokens.example.com/token",
        });
        logIn(registry.host);
        expect(await failureOf(registry)).toMatch(/token service without TLS, http:\/\/tokens\.example\.com/);
    });

    test("stays behind when a layer is kept on another host", async () => {
        const images = quickstartImages();
        const seen: (string | undefined)[] = [];
        const store = http.createServer((request, response) => {
            seen.push(request.headers.authorization);
            const digest = (request.url ?? "").slice(1);
            const blob = Object.values(images).flatMap(({ blobs }) => blobs.get(digest) ?? [])[0];
            response.end(blob);
        });
        await new Promise<void>((done) => store.listen(0, "127.0.0.1", done));
        onTestFinished(() => void store.close());
        const { port } = store.address() as AddressInfo;
        const registry = await fakeRegistry(images, {
            auth: "basic",
            instead(request, response) {
                const digest = /blobs\/(.+)$/.exec(request.url ?? "")?.[1];
                if (!digest || !request.headers.authorization) return undefined;
                response.writeHead(307, { location: `http://127.0.0.1:${port}/${digest}` }).end();
                return true;
            },
        });
        logIn(registry.host);
        await fetchFrom(registry);
        expect(seen).toEqual([undefined, undefined, undefined]);
    });
});

test("the login is not sent where another host that keeps a layer wants it", async () => {
    const stores: string[] = [];
    const store = http.createServer((request, response) => {
        stores.push(request.url ?? "");
        const realm = `http://${request.headers.host}/token`;
        response.writeHead(401, { "www-authenticate": `Bearer realm="${realm}"` }).end();
    });
    await new Promise<void>((done) => store.listen(0, "127.0.0.1", done));
    onTestFinished(() => void store.close());
    const { port } = store.address() as AddressInfo;
    const registry = await fakeRegistry(quickstartImages(), {
        instead(request, response) {
            if (!request.url?.includes("/blobs/")) return undefined;
            response.writeHead(307, { location: `http://127.0.0.1:${port}/layer` }).end();
            return true;
        },
    });
    logIn(registry.host);
    expect(await failureOf(registry)).toMatch(
        /sends its callers to 127\.0\.0\.1:\d+, where no login is sent/,
    );
    expect(stores).toEqual(["/layer"]);
});

describe("a registry that is not right", () => {
    const blobs = (answer: (response: http.ServerResponse, blob: Buffer) => void): Behaviour => ({
        instead(request, response) {
            const digest = /blobs\/([^?]+)/.exec(request.url ?? "")?.[1];
            const blob = digest && images["1.0.0-vv-3"].blobs.get(digest);
            if (!blob) return undefined;
            answer(response, blob);
            return true;
        },
    });
    let images: ReturnType<typeof quickstartImages>;
    const failure = async (behaviour: Behaviour) => failureOf(await fakeRegistry(images, behaviour));
    beforeEach(() => {
        images = quickstartImages();
    });

    test("sends half a layer", async () => {
        const message = await failure(
            blobs((response, blob) => response.end(blob.subarray(0, blob.length >> 1))),
        );
        expect(message).toMatch(
            /layer sha256:\w+ could not be read: unexpected end of file \(\d+ of \d+ bytes came\)/,
        );
    });

    test("sends another layer", async () => {
        const other = imageOf([[jar("opt/evil.jar")]]);
        const message = await failure(blobs((response) => response.end(other.blobs.get(other.layers[0]!))));
        expect(message).toMatch(
            /is not what the manifest says: \d+ of \d+ bytes came, with the digest sha256:/,
        );
    });

    test("sends more than the manifest says", async () => {
        const message = await failure(
            blobs((response, blob) => response.end(Buffer.concat([blob, Buffer.alloc(4096)]))),
        );
        expect(message).toMatch(/could not be read: (it is longer than the manifest says|.*trailing)/);
    });

    test("sends no archive", async () => {
        const message = await failure(blobs((response, blob) => response.end(Buffer.alloc(blob.length, 7))));
        expect(message).toMatch(/could not be read: incorrect header check/);
    });

    test("sends another manifest than the digest says", async () => {
        const manifest = images["0.9.1-vv-1"].manifest;
        const message = await failure({
            instead(request, response) {
                if (!request.url?.endsWith("manifests/1.0.0-vv-3")) return undefined;
                const type = "application/vnd.oci.image.manifest.v1+json";
                const digest = images["1.0.0-vv-3"].digest;
                response.writeHead(200, { "content-type": type, "docker-content-digest": digest });
                response.end(manifest);
                return true;
            },
        });
        expect(message).toMatch(/the manifest that came is sha256:\w+, not sha256:/);
    });

    test("is a login page", async () => {
        const message = await failure({
            instead(_request, response) {
                response.writeHead(200, { "content-type": "text/html" }).end("<title>Sign in</title>");
                return true;
            },
        });
        expect(message).toMatch(/a web page \("Sign in"\) instead of an answer of the image registry/);
    });

    test("does not have the tag", async () => {
        const { "0.9.1-vv-1": other } = images;
        const message = await failureOf(await fakeRegistry({ "0.9.1-vv-1": other }));
        expect(message).toMatch(/fluss:1\.0\.0-vv-3 .*404 MANIFEST_UNKNOWN.*check the name and the tag/s);
    });

    test.each([
        [
            "http://store.example.com/x?X-Amz-Signature=sesame",
            /sends to http:\/\/store\.example\.com, without TLS/,
        ],
        ["?X-Amz-Signature=sesame", /after 5 redirects 127\.0\.0\.1:\d+ sends to 127\.0\.0\.1:\d+ still/],
    ])("sends to %s", async (location, reason) => {
        const message = await failure(
            blobs((response) => response.writeHead(307, { location }).end(`<a href="${location}">`)),
        );
        expect(message).toMatch(reason);
        expect(message).not.toMatch(/sesame/);
    });
});

/** All JARs of an image: contents by paths. */
async function readAll(image: Image): Promise<Record<string, string>> {
    const { repository } = await fakeRegistry({ latest: image });
    const { jars } = await readImageJars({
        registry: new ImageRegistry(parseRepository(repository)),
        reference: "latest",
        wanted: () => true,
        staging: temporaryFolder(),
    });
    return Object.fromEntries(jars.map(({ path: name, file }) => [name, fs.readFileSync(file, "utf8")]));
}
