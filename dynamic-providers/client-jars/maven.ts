import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { openDownload, openGood } from "./download.ts";
import { isSafeAddress } from "./image-reference.ts";
import { basicHeader, findLogin, type Login, loginHint } from "./registry-login.ts";

/** A file that was downloaded and checked. */
export interface Downloaded {
    file: string;
    sha256: string;
    size: number;
}

/** Where Maven keeps a JAR of a repository. @param coordinate `group:artifact:version` */
export function jarUrl(repository: string, coordinate: string): string {
    const [group = "", artifact = "", version = ""] = coordinate.split(":");
    return `${repository.replace(/\/+$/, "")}/${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}.jar`;
}

/** @throws when it is no address of a Maven repository from which JARs should be taken */
export function checkMavenRepository(repository: string): void {
    if (isSafeAddress(repository)) return;
    throw new Error(
        "the address of the Maven repository must begin with https:// and hold no login. What to do: give it like https://repo.maven.apache.org/maven2, and its login by FLUSS_REGISTRY_HOST, FLUSS_REGISTRY_USERNAME and FLUSS_REGISTRY_PASSWORD",
    );
}

/**
 * Downloads a JAR, and checks it against the strongest checksum that the repository keeps beside it.
 * @throws when it is not there, comes changed or in part, or has no checksum
 */
export async function downloadJar(url: string, target: string): Promise<Downloaded> {
    const login = await findLogin(new URL(url).host);
    const wanted = await checksumOf(url, login);
    const got = await downloadFile(url, target, wanted.algorithm, login);
    if (got.checksum === wanted.value) return got;
    throw new Error(
        `${url} is not what its checksum says: ${wanted.algorithm} ${got.checksum} in the place of ${wanted.value}, ${got.size} bytes. ` +
            "What to do: try again; if it stays, the repository or something on the way changes files",
    );
}

/** Downloads a JAR whose SHA-256 the caller knows and checks. */
export async function downloadKnownJar(url: string, target: string): Promise<Downloaded> {
    return downloadFile(url, target, "sha256", await findLogin(new URL(url).host));
}

async function downloadFile(url: string, target: string, algorithm: string, login: Login | undefined) {
    const { body } = await openGood(request(url, `read ${path.posix.basename(url)}`, login));
    const hashes = { sha256: createHash("sha256"), checksum: createHash(algorithm) };
    let size = 0;
    await pipeline(
        body,
        async function* (pieces: AsyncIterable<Buffer>) {
            for await (const piece of pieces) {
                hashes.sha256.update(piece);
                hashes.checksum.update(piece);
                size += piece.length;
                yield piece;
            }
        },
        fs.createWriteStream(target, { flags: "wx" }),
    ).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${url} broke off after ${size} bytes: ${reason}. What to do: try again`);
    });
    const [sha256, checksum] = [hashes.sha256.digest("hex"), hashes.checksum.digest("hex")];
    return { file: target, sha256, checksum, size };
}

/** Each repository keeps SHA-1; newer releases have the others too. */
const algorithms = ["sha512", "sha256", "sha1"] as const;

async function checksumOf(url: string, login: Login | undefined) {
    for (const algorithm of algorithms) {
        const name = `${path.posix.basename(url)}.${algorithm}`;
        const answer = await openDownload(request(`${url}.${algorithm}`, `read ${name}`, login));
        if (answer.status === 404) {
            await answer.discard();
            continue;
        }
        if (answer.status !== 200) return answer.fail();
        const said = await text(answer.body);
        const length = createHash(algorithm).digest("hex").length;
        const value = new RegExp(`^\\s*([0-9a-f]{${length}})(\\s|$)`, "i").exec(said)?.[1];
        if (value) return { algorithm, value: value.toLowerCase() };
        throw new Error(
            `${url}.${algorithm} holds no checksum. What to do: check the address of the Maven repository; a login page may answer there`,
        );
    }
    // Says it when the JAR itself is not there either, which is the usual reason.
    await (await openGood(request(url, `read ${path.posix.basename(url)}`, login))).discard();
    throw new Error(
        `${url} has no checksum beside it (.${algorithms.join(", .")}), so that nobody can tell whether it is right. What to do: use a repository that keeps them`,
    );
}

function request(url: string, action: string, login: Login | undefined) {
    const { host } = new URL(url);
    return {
        system: "the Maven repository",
        url: new URL(url),
        action,
        ...(login
            ? { authorization: basicHeader(login), secrets: [login.password, basicHeader(login).slice(6)] }
            : {}),
        hint: ({ status }: { status?: number }) => {
            if (status === 401 || status === 403) return loginHint(host, login);
            return status === 404
                ? "check the release and the address of the repository: this version is not there"
                : undefined;
        },
    };
}
