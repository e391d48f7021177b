import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { completeClientJars } from "../../../dynamic-providers/client-jars/complete.ts";
import { fetchClientJars, type JarSource } from "../../../dynamic-providers/client-jars/fetch.ts";
import { readJarList } from "../../../dynamic-providers/client-jars/jar-list.ts";
import { jarCoordinates } from "../../../model/jar-sources.ts";
import type { JarSetup } from "../../../model/jars.ts";
import { taken, temporaryFolder, vendor } from "./jar-images.ts";

const open: JarSetup = { release: "0.9.1-incubating", catalog: "rest", storage: "s3Compatible" };

beforeEach(() => {
    for (const name of ["DOCKER_CONFIG", "HELM_REGISTRY_CONFIG"])
        vi.stubEnv(name, path.join(temporaryFolder(), "nowhere"));
});
afterEach(() => vi.unstubAllEnvs());

/** A Maven repository of small JARs on this machine. `change` gives another answer than the file, by its path. */
async function mavenRepository(
    change: (file: string) => { status?: number; body?: string; type?: string } | undefined = () => undefined,
    checksums: readonly string[] = ["sha1"],
) {
    const requests: string[] = [];
    const server = http.createServer((request, response) => {
        const file = (request.url ?? "").replace("/maven2/", "");
        requests.push(file);
        const changed = change(file);
        const [, jar = "", algorithm] = /^(.*?\.jar)(?:\.(\w+))?$/.exec(file) ?? [];
        const content = `content of ${path.posix.basename(jar)}`;
        if (changed?.status && changed.status !== 200) return response.writeHead(changed.status).end();
        if (changed?.body !== undefined)
            return response
                .writeHead(200, { "content-type": changed.type ?? "application/java-archive" })
                .end(changed.body);
        if (algorithm === undefined) return response.end(content);
        if (!checksums.includes(algorithm)) {
            // A page that comes later than the status.
            response.writeHead(404, { "content-type": "text/html" }).flushHeaders();
            return setTimeout(() => response.end("<html>there is no such file</html>"), 10);
        }
        return response.end(createHash(algorithm).update(content).digest("hex"));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => {
        server.close();
        server.closeAllConnections();
    });
    return { repository: `http://127.0.0.1:${(server.address() as AddressInfo).port}/maven2`, requests };
}

const fetched = async (source: JarSource, setup = open) => {
    const folder = path.join(temporaryFolder(), "jars");
    const selection = await fetchClientJars({ setup, source, folder });
    return { folder, selection };
};

describe("JARs of a Maven repository", () => {
    test.each(["sha1", "sha256", "sha512"])(
        "are checked by %s, and are the set of the open release",
        async (kind) => {
            const { repository, requests } = await mavenRepository(undefined, [kind]);
            const { folder, selection } = await fetched({ kind: "maven", repository });
            expect(selection.clientJars).toHaveLength(9);
            expect(selection.leftOut).toEqual([]);
            for (const { file, sha256, from } of readJarList(folder)!.jars) {
                const content = fs.readFileSync(path.join(folder, file), "utf8");
                expect(content).toBe(`content of ${file}`);
                expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
                expect(from).toEqual({
                    url: expect.stringMatching(new RegExp(`^${repository}/.*/${file}$`)),
                });
            }
            expect(requests).toContain(
                `org/apache/fluss/fluss-fs-s3/0.9.1-incubating/fluss-fs-s3-0.9.1-incubating.jar.${kind}`,
            );
        },
    );

    test.each<JarSetup>([
        { ...open, catalog: "jdbc" },
        { ...open, catalog: "hadoop", storage: "s3" },
        { ...open, storage: "adls" },
    ])("are complete for $catalog on $storage", async (setup) => {
        const { repository } = await mavenRepository();
        const { selection } = await fetched({ kind: "maven", repository }, setup);
        expect(1 + selection.clientJars.length).toBe(jarCoordinates(setup).length);
    });

    test("that are changed, missing, or without a checksum are all told", async () => {
        const { repository } = await mavenRepository((file) => {
            if (file.endsWith("failsafe-3.3.2.jar")) return { body: "changed" };
            if (file.includes("hadoop-hdfs-client")) return { status: 404 };
            if (/iceberg-aws-1.*jar\./.test(file)) return { status: 404 };
            if (/fluss-fs-s3.*jar\.sha512/.test(file))
                return { body: "<html>Sign in</html>", type: "text/html" };
            return undefined;
        });
        const message = await fetched({ kind: "maven", repository }).then(
            () => "",
            (error: Error) => error.message,
        );
        expect(message).toMatch(
            /failsafe-3\.3\.2\.jar is not what its checksum says: sha1 \w+ in the place of \w+, 7 bytes/,
        );
        expect(message).toMatch(/read hadoop-hdfs-client-3\.3\.4\.jar .*404.*this version is not there/s);
        expect(message).toMatch(/iceberg-aws-1\.10\.1\.jar has no checksum beside it/);
        expect(message).toMatch(/fluss-fs-s3\S+\.sha512 holds no checksum.*login page/);
    });

    test("that are broken off are told", async () => {
        const { repository } = await mavenRepository();
        const gate = http.createServer((request, response) => {
            if (!request.url?.endsWith("failsafe-3.3.2.jar"))
                return response.writeHead(307, { location: repository + request.url }).end();
            response.writeHead(200, { "content-length": "1000" }).write("only this");
            setTimeout(() => response.destroy(), 50);
            return response;
        });
        await new Promise<void>((done) => gate.listen(0, "127.0.0.1", done));
        onTestFinished(() => void gate.close());
        const source = {
            kind: "maven",
            repository: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
        } as const;
        await expect(fetched(source)).rejects.toThrow(/failsafe-3\.3\.2\.jar broke off after 9 bytes/);
    });

    test("cannot be those of a build of the vendor", async () => {
        const source = { kind: "maven", repository: "http://127.0.0.1:1" } as const;
        await expect(fetched(source, vendor)).rejects.toThrow(/no Maven repository holds/);
    });

    test.each(["http://maven.example.com", "https://desk:sesame@maven.example.com", "maven"])(
        "do not come from %s",
        async (repository) => {
            const failure = fetched({ kind: "maven", repository });
            await expect(failure).rejects.toThrow(/must begin with https:\/\/ and hold no login/);
            await expect(failure).rejects.not.toThrow(/sesame/);
        },
    );
});

describe("JARs by Docker", () => {
    /** Stands for Docker: writes down how it was called, and copies what the installer would leave. */
    const docker = (script: string) => {
        const bin = temporaryFolder();
        fs.writeFileSync(path.join(bin, "docker"), `#!/bin/sh\n${script}`, { mode: 0o755 });
        vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
        return { calls: () => fs.readFileSync(path.join(bin, "calls"), "utf8").trim().split("\n") };
    };
    const working = `
here=$(dirname "$0")
echo "$@" >> "$here/calls"
case "$1" in
create) echo "pulling..." >&2; echo "$@" | sed 's/.*client \\([a-z0-9-]*\\).*/\\1/' ;;
cp) setup=\${2%%:*}
    case "$setup" in
    lake-iceberg) for name in fluss-flink-1.20-1.0.0-vv-3 fluss-fs-s3-1.0.0-vv-3 fluss-lake-iceberg-1.0.0-vv-3 iceberg-flink-runtime-1.20-1.10.1 vendor-extra-1.0; do printf 'content of %s' "$name.jar" > "$3/$name.jar"; done ;;
    lake-tiering-service) printf 'content of fluss-flink-tiering-1.0.0-vv-3.jar' > "$3/fluss-flink-tiering-1.0.0-vv-3.jar" ;;
    fs-s3) for name in fluss-flink-1.20-0.9.1-vv-1 fluss-fs-s3-0.9.1-vv-1; do printf 'content of %s' "$name.jar" > "$3/$name.jar"; done ;;
    esac ;;
esac
`;

    test("are what the image's installer leaves, the two exclusions made", async () => {
        const { calls } = docker(working);
        const { folder, selection } = await fetched(
            { kind: "docker", repository: "registry.example.com/fluss" },
            vendor,
        );
        expect(selection.clientJars.map((name) => path.basename(name))).toEqual([
            ...taken.slice(1),
            "vendor-extra-1.0.jar",
        ]);
        for (const { file } of readJarList(folder)!.jars)
            expect(fs.readFileSync(path.join(folder, file), "utf8")).toBe(`content of ${file}`);
        const output = "--output-dir /tmp/pulumi-fluss-client-jars";
        expect(calls().filter((call) => call.startsWith("create"))).toEqual([
            `create registry.example.com/fluss:1.0.0-vv-3 /opt/fluss/bin/setup/install.sh client lake-iceberg --fs s3 --catalog rest ${output}`,
            `create registry.example.com/fluss:1.0.0-vv-3 /opt/fluss/bin/setup/install.sh client lake-tiering-service ${output}`,
            `create registry.example.com/fluss:0.9.1-vv-1 /opt/fluss/bin/setup/install.sh client fs-s3 ${output}`,
        ]);
        expect(calls().filter((call) => call.startsWith("rm --force"))).toHaveLength(3);
    });

    test("cannot be options of Docker in a list of somebody else", async () => {
        docker(working);
        const { folder } = await fetched({ kind: "docker" }, vendor);
        const file = path.join(folder, "client-jars.json");
        fs.writeFileSync(
            file,
            fs.readFileSync(file, "utf8").replaceAll(/"image": "[^"]*"/g, '"image": "--privileged"'),
        );
        await expect(completeClientJars(folder)).rejects.toThrow(/faults in client-jars\.json/);
    });

    test("are installed again when they are missing", async () => {
        docker(working);
        const { folder } = await fetched({ kind: "docker" }, vendor);
        const lost = "fluss-lake-iceberg-1.0.0-vv-3.jar";
        fs.rmSync(path.join(folder, lost));
        expect(await completeClientJars(folder)).toEqual([lost]);
        expect(fs.readFileSync(path.join(folder, lost), "utf8")).toBe(`content of ${lost}`);
    });

    test.each([
        ["exit 127", "could not create", /run the command by hand/],
        [
            'echo "Cannot connect to the Docker daemon at unix:///var/run/docker.sock" >&2; exit 1',
            "Cannot connect",
            /start Docker/,
        ],
        [
            'echo "Error response from daemon: pull access denied for fluss, repository does not exist or may require docker login: denied" >&2; exit 1',
            "denied",
            /docker login registry\.ververica\.cloud/,
        ],
        [
            'echo "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock" >&2; exit 1',
            "permission denied",
            /start Docker/,
        ],
        [
            'case "$1" in create) echo box;; *) echo "Error response from daemon: permission denied: /tmp/x" >&2; exit 1;; esac',
            "could not start",
            /run the command by hand/,
        ],
    ])("with a Docker that fails (%s)", async (script, said, hint) => {
        docker(script);
        const failure = fetched({ kind: "docker" }, vendor);
        await expect(failure).rejects.toThrow(said);
        await expect(failure).rejects.toThrow(hint);
    });

    test("without Docker are told how to come", async () => {
        vi.stubEnv("PATH", temporaryFolder());
        await expect(fetched({ kind: "docker" }, vendor)).rejects.toThrow(
            /there is no docker on the PATH\nWhat to do: install Docker, or read the image from its registry: --from registry/,
        );
    });

    test("that are links to files of this machine are refused", async () => {
        docker(`case "$1" in create) echo box;; cp) ln -s /etc/hostname "$3/linked-1.0.jar";; esac`);
        await expect(fetched({ kind: "docker" }, vendor)).rejects.toThrow(
            /linked-1\.0\.jar, which the installer of registry\.ververica\.cloud\/\S+ left, is no file but a link/,
        );
    });

    test("leave no container behind when the installer fails", async () => {
        const { calls } = docker(
            'echo "$@" >> "$(dirname "$0")/calls"\ncase "$1" in create) echo box;; start) echo "no such setup" >&2; exit 3;; esac',
        );
        await expect(fetched({ kind: "docker" }, vendor)).rejects.toThrow(/could not start .*no such setup/);
        expect(calls().at(-1)).toBe("rm --force box");
    });
});
