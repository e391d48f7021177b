import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { completeClientJars } from "../../dynamic-providers/client-jars/complete.ts";
import { fetchClientJars } from "../../dynamic-providers/client-jars/fetch.ts";
import { readJarList } from "../../dynamic-providers/client-jars/jar-list.ts";
import { type OciRegistry, startOciRegistry } from "../../local/services/oci-registry.ts";
import { ensureOciRegistry } from "../../local/toolchain/oci-registry.ts";
import { imageOf } from "../unit/client-jars/image.ts";
import { jar, quickstartImages, taken, temporaryFolder, vendor } from "../unit/client-jars/jar-images.ts";
import { writeLogin } from "./bed.ts";
import { sharedBed } from "./shared-bed.ts";

/** Client JARs out of a real registry of images, with TLS of its own authority and a password. */
const repository = "platform-images/fluss";
const certificate = sharedBed().env["SSL_CERT_FILE"]!;
let registry: OciRegistry;

beforeAll(async () => {
    const program = await ensureOciRegistry(console.error);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "oci-registry-"));
    // The API server keeps its key beside its certificate.
    const key = certificate.replace(/\.crt$/, ".key");
    registry = await startOciRegistry(program, folder, { cert: certificate, key });
    for (const [tag, image] of Object.entries(quickstartImages()))
        await registry.push(repository, tag, image);
});
afterAll(() => registry?.stop());

beforeEach(() => {
    const folder = temporaryFolder();
    const login = path.join(folder, "registry.json");
    writeLogin(login, { ...registry, charts: "", repository: "" }, registry.password);
    vi.stubEnv("HELM_REGISTRY_CONFIG", login);
    vi.stubEnv("DOCKER_CONFIG", path.join(folder, "nowhere"));
    vi.stubEnv("SSL_CERT_FILE", certificate);
});
afterEach(() => vi.unstubAllEnvs());

const fetchJars = async (also: string[] = []) => {
    const folder = path.join(temporaryFolder(), "jars");
    const source = { kind: "registry", repository: `${registry.host}/${repository}`, also } as const;
    return { folder, ...(await fetchClientJars({ setup: vendor, source, folder })) };
};

describe("a real registry", () => {
    test("gives the JARs of the quickstart, and those that were lost again", async () => {
        const { folder, tieringJar, clientJars } = await fetchJars();
        expect([tieringJar, ...clientJars].map((name) => path.basename(name))).toEqual(taken);
        const content = (file: string) => fs.readFileSync(path.join(folder, file), "utf8");
        for (const file of taken) expect(content(file)).toBe(`content of ${file}`);
        const list = content("client-jars.json");
        expect(list).not.toContain(registry.password);

        // Somebody else's checkout: the list alone; and meanwhile the tag names another image.
        for (const file of taken) fs.rmSync(path.join(folder, file));
        const another = imageOf([[jar("opt/other.jar", "another")]]);
        await registry.push(repository, "1.0.0-vv-3", another);
        expect(await completeClientJars(folder)).toEqual(taken);
        for (const file of taken) expect(content(file)).toBe(`content of ${file}`);
        expect(content("client-jars.json")).toBe(list);
        await expect(fetchJars()).rejects.toThrow(/tiering service of version 1\.0\.0-vv-3 is missing/);
        await registry.push(repository, "1.0.0-vv-3", quickstartImages()["1.0.0-vv-3"]);
    });

    test("gives a layer of 48 MiB", async () => {
        const images = quickstartImages();
        const large = randomBytes(24 * 1024 * 1024).toString("hex");
        const big = imageOf([[jar("opt/vendor-large-1.0.jar", large), jar("opt/after-1.0.jar")]]);
        const layers = [...JSON.parse(big.manifest.toString()).layers];
        const own = JSON.parse(images["1.0.0-vv-3"].manifest.toString());
        const manifest = Buffer.from(JSON.stringify({ ...own, layers: [...layers, ...own.layers] }));
        const blobs = new Map([...big.blobs, ...images["1.0.0-vv-3"].blobs]);
        await registry.push(repository, "1.0.0-vv-3", { blobs, manifest });
        const { folder } = await fetchJars(["vendor-large", "after"]);
        expect(fs.readFileSync(path.join(folder, "vendor-large-1.0.jar"), "utf8") === large).toBe(true);
        expect(readJarList(folder)!.jars).toHaveLength(taken.length + 2);
        await registry.push(repository, "1.0.0-vv-3", images["1.0.0-vv-3"]);
    });

    test("that does not take the login, or is not trusted, or lacks the tag, is told", async () => {
        vi.stubEnv("FLUSS_REGISTRY_HOST", registry.host);
        vi.stubEnv("FLUSS_REGISTRY_USERNAME", registry.username);
        vi.stubEnv("FLUSS_REGISTRY_PASSWORD", "not-this-one");
        const wrong = fetchJars();
        await expect(wrong).rejects.toThrow(
            /401 UNAUTHORIZED.*does not take the login from FLUSS_REGISTRY_USERNAME/s,
        );
        await expect(wrong).rejects.not.toThrow(/not-this-one/);
        vi.stubEnv("FLUSS_REGISTRY_PASSWORD", registry.password);
        const missing = fetchClientJars({
            setup: { ...vendor, release: "1.0.0-vv-9" },
            source: { kind: "registry", repository: `${registry.host}/${repository}` },
            folder: temporaryFolder(),
        });
        await expect(missing).rejects.toThrow(/404 MANIFEST_UNKNOWN.*check the name and the tag/s);
        vi.stubEnv("SSL_CERT_FILE", "");
        await expect(fetchJars()).rejects.toThrow(/certificate of .* authority that is not known here/);
    });
});
