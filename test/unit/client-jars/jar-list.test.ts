import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { completeClientJars } from "../../../dynamic-providers/client-jars/complete.ts";
import { fetchClientJars } from "../../../dynamic-providers/client-jars/fetch.ts";
import {
    jarsOf,
    moveJars,
    readJarList,
    writeJarList,
} from "../../../dynamic-providers/client-jars/jar-list.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { selectJars } from "../../../model/jars.ts";
import { type SimulatedPlatform, simulatedPlatform } from "../vvp/simulated-platform.ts";
import { type FakeRegistry, fakeRegistry } from "./fake-registry.ts";
import { quickstartImages, taken, temporaryFolder, vendor } from "./jar-images.ts";

let folder: string;
let registry: FakeRegistry;

/** A folder as version control gives it: the list without the JARs. */
beforeEach(async () => {
    for (const name of ["DOCKER_CONFIG", "HELM_REGISTRY_CONFIG"])
        vi.stubEnv(name, path.join(temporaryFolder(), "nowhere"));
    registry = await fakeRegistry(quickstartImages());
    folder = path.join(temporaryFolder(), "jars");
    const source = { kind: "registry", repository: registry.repository } as const;
    await fetchClientJars({ setup: vendor, source, folder });
    for (const file of taken) fs.rmSync(path.join(folder, file));
    registry.requests.length = 0;
});
afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
});

const change = (edit: (list: NonNullable<ReturnType<typeof readJarList>>) => void) => {
    const list = readJarList(folder)!;
    edit(list);
    writeJarList(folder, list);
};

/** As others write it: nothing of it is checked. */
const editText = (edit: (list: NonNullable<ReturnType<typeof readJarList>>) => void) => {
    const list = readJarList(folder)!;
    edit(list);
    fs.writeFileSync(path.join(folder, "client-jars.json"), JSON.stringify(list));
};

describe("a folder with a list and no JARs", () => {
    test("is a whole set, and a JAR that the list lacks is named", () => {
        const { files } = jarsOf(folder);
        expect(selectJars(files, vendor).clientJars.map((file) => path.basename(file))).toEqual(
            taken.slice(1),
        );
        change((list) => list.jars.splice(3, 1));
        expect(() => selectJars(jarsOf(folder).files, vendor)).toThrow(
            /Iceberg lake client of version 1\.0\.0-vv-3 is missing/,
        );
        expect(() => selectJars(jarsOf(folder).files, { ...vendor, release: "1.0.0-vv-4" })).toThrow(
            /there is only .*fluss-flink-tiering-1\.0\.0-vv-3\.jar/,
        );
    });

    test("is completed by one reading of each image, however many ask", async () => {
        const answers = await Promise.all([1, 2, 3].map(() => completeClientJars(folder)));
        expect(answers).toEqual([taken, taken, taken]);
        expect(await completeClientJars(folder)).toEqual([]);
        for (const file of taken)
            expect(fs.readFileSync(path.join(folder, file), "utf8")).toBe(`content of ${file}`);
        expect(registry.requests.filter(({ url }) => url.includes("/blobs/"))).toHaveLength(3);
        expect(fs.readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
    });

    test("refuses a JAR with another content than the list says, and takes nothing of that image", async () => {
        change((list) => {
            list.jars[2]!.sha256 = "0".repeat(64);
        });
        await expect(completeClientJars(folder)).rejects.toThrow(
            /fluss-flink-1\.20-1\.0\.0-vv-3\.jar from http:\S+@sha256:\w+ has the SHA-256 \w+, and client-jars\.json says 0000/,
        );
        expect(fs.readdirSync(folder)).toEqual(["client-jars.json"]);
    });

    test("is made anew beside nothing else: JARs of other origin are refused, those of the old list are gone", async () => {
        await completeClientJars(folder);
        const again = (also: string[]) => {
            const source = { kind: "registry", repository: registry.repository, also } as const;
            return fetchClientJars({ setup: vendor, source, folder });
        };
        await again(["vendor-extra"]);
        expect(jarsOf(folder).files.filter((file) => fs.existsSync(file))).toHaveLength(taken.length + 1);
        await expect(again(["vendor-extra", "vendro"])).rejects.toThrow(
            /no JAR of http:\S+:1\.0\.0-vv-3 has a name that begins with vendro\..*name one of .*fluss-server/,
        );
        await expect(again([""])).rejects.toThrow(/every JAR's name begins with an empty one/);
        await again([]);
        expect(fs.readdirSync(folder).sort()).toEqual([...taken, "client-jars.json"].sort());
        fs.writeFileSync(path.join(folder, "mine.jar"), "");
        await expect(again([])).rejects.toThrow(/holds JARs that no client-jars\.json lists: mine\.jar/);
        expect(() => jarsOf(folder)).toThrow(
            /mine\.jar: is not listed in client-jars\.json\. Remove it: it may be of an earlier list/,
        );
    });

    test.each([
        ["../evil.jar", /must be the name of a JAR, without folders/],
        ["/etc/evil.jar", /must be the name of a JAR/],
        [".hidden.jar", /must be the name of a JAR/],
    ])("cannot name %s", (file, reason) => {
        const list = readJarList(folder)!;
        list.jars[0]!.file = file;
        expect(() => writeJarList(folder, list)).toThrow(reason);
        editText((list) => {
            list.jars[0]!.file = file;
        });
        expect(() => jarsOf(folder)).toThrow(reason);
    });

    test.each(["http://nexus.example.com/a.jar", "https://desk:sesame@nexus.example.com/a.jar", "a.jar"])(
        "cannot send to %s, which is not shown",
        async (url) => {
            editText((list) => {
                list.jars[0]!.from = { url };
            });
            await expect(completeClientJars(folder)).rejects.toThrow(
                /jars\[0\]\.from: must have a url that begins with https:\/\//,
            );
            await expect(completeClientJars(folder)).rejects.not.toThrow(/sesame/);
        },
    );

    test("has two files for two names of one, and no half ones", async () => {
        const staging = temporaryFolder();
        const from = path.join(staging, "one.jar");
        fs.writeFileSync(from, "content");
        // A copy to the final name could end half-way.
        const copied = vi.spyOn(fs, "copyFileSync");
        moveJars(["a.jar", "b.jar"].map((name) => [from, path.join(folder, name)] as const));
        expect(copied).not.toHaveBeenCalledWith(expect.anything(), path.join(folder, "b.jar"));
        for (const name of ["a.jar", "b.jar"])
            expect(fs.readFileSync(path.join(folder, name), "utf8")).toBe("content");
        expect(fs.readdirSync(staging)).toEqual([]);
    });

    test("loses what a killed fetch left a day ago, and nothing of one that may be running", async () => {
        const [old, young] = [".client-jars-old", ".client-jars-young"].map((name) =>
            path.join(folder, name),
        ) as [string, string];
        for (const left of [old, young]) {
            fs.mkdirSync(left);
            fs.writeFileSync(path.join(left, "half.jar"), "");
        }
        const before = Date.now() / 1000 - 25 * 3600;
        fs.utimesSync(old, before, before);
        await completeClientJars(folder);
        expect([old, young].map((left) => fs.existsSync(left))).toEqual([false, true]);
    });

    test("that cannot be read is told", () => {
        fs.writeFileSync(path.join(folder, "client-jars.json"), "<<<<<<< HEAD");
        expect(() => jarsOf(folder)).toThrow(
            /client-jars\.json cannot be read.*take it from version control, or remove it.*jars --release/,
        );
    });
});

describe("an artifact of the list", () => {
    const provider = vvpProviders.vvpArtifact;
    let p: SimulatedPlatform;
    const file = taken[2]!;
    const inputs = () => ({
        source: path.join(folder, file),
        fileName: file,
        jarList: path.join(folder, "client-jars.json"),
    });
    beforeEach(async () => {
        p = await simulatedPlatform();
        vi.spyOn(console, "warn").mockImplementation(() => undefined);
    });
    afterEach(() => p.close());

    test("is previewed without a JAR, fetched when it is uploaded, and not needed afterwards", async () => {
        const checked = await provider.check(undefined, { connection: p.connection, ...inputs() });
        expect(checked.failures).toEqual([]);
        expect(checked.inputs["sha256"]).toBe(readJarList(folder)!.jars[2]!.sha256);
        expect(registry.requests).toEqual([]);

        const held = await p.up(provider, inputs());
        expect(held.state["size"]).toBe(`content of ${file}`.length);
        const asked = registry.requests.length;
        expect(asked).toBeGreaterThan(0);

        // Another runner: no JAR there, nothing changed, nothing fetched.
        for (const one of taken) fs.rmSync(path.join(folder, one));
        const again = await p.up(provider, inputs(), held);
        expect(again).toEqual(held);
        expect(await p.refresh(provider, held)).toMatchObject({ state: { sha256: held.state["sha256"] } });
        expect(registry.requests).toHaveLength(asked);
        expect(p.calls("getArtifactSignature")).toBe(1);
    });

    test("that is too large, was changed on disk, or is not listed, is refused in the preview", async () => {
        const reasons = async (given: object) =>
            (await provider.check(undefined, { connection: p.connection, ...given })).failures.map(
                ({ reason }) => reason,
            );
        expect(await reasons({ ...inputs(), maximumMiB: 0.00001 })).toEqual([
            expect.stringMatching(/more than maximumMiB/),
        ]);
        fs.writeFileSync(path.join(folder, file), "changed");
        expect(await reasons(inputs())).toEqual([
            expect.stringMatching(/has the SHA-256 .*client-jars\.json says.*remove the file/),
        ]);
        for (const given of [
            { source: path.join(folder, "..", file) },
            { jarList: path.join(folder, "jars.json") },
        ]) {
            expect(await reasons({ ...inputs(), ...given })).toEqual([
                expect.stringMatching(
                    /jarList: '.*' is not the list of the folder.*give '.*client-jars\.json'/,
                ),
            ]);
        }
        const other = path.join(folder, "other.jar");
        expect(await reasons({ ...inputs(), source: other })).toEqual([
            expect.stringMatching(/does not list 'other\.jar'/),
        ]);
    });

    test("whose image is gone fails before anything is uploaded", async () => {
        change((list) => {
            for (const one of list.jars) {
                if ("repository" in one.from) one.from.digest = `sha256:${"0".repeat(64)}`;
            }
        });
        await expect(p.up(provider, inputs())).rejects.toThrow(/read the manifest of .*404/s);
        expect(p.calls("getArtifactSignature")).toBe(0);
    });
});
