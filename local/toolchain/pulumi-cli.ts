import { lookup } from "node:dns/promises";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Filling } from "./cache.ts";
import { findOnPath, runCommand, tryCommand } from "./command.ts";
import { download, sha256Of } from "./download.ts";
import type { Report } from "./types.ts";

/** The version that is downloaded or built; `pulumi-cli/go.mod` pins the same. */
export const PULUMI_VERSION = "3.274.1";

/** The oldest version on `PATH` that is used as it is. */
export const PULUMI_OLDEST = "3.260.0";

const DOWNLOAD_HOST = "get.pulumi.com";
const RELEASE = `https://github.com/pulumi/pulumi/releases/download/v${PULUMI_VERSION}`;
const MODULE = path.join(path.dirname(fileURLToPath(import.meta.url)), "pulumi-cli");

/** Folder of the CLI in the cache; `bin` in it holds `pulumi`. */
export function pulumiFolder(cacheDir: string): string {
    return path.join(cacheDir, "pulumi", PULUMI_VERSION);
}

/** The CLI on `PATH`, when it says its version (a build without one breaks the Automation API) and is new enough. */
export async function pulumiOnPath(home: string): Promise<{ binDir: string; version: string } | undefined> {
    const file = findOnPath("pulumi");
    if (file === undefined) return undefined;
    const version = await versionOf(file, home);
    return version && isAtLeast(version, PULUMI_OLDEST) ? { binDir: path.dirname(file), version } : undefined;
}

/** True when the vendor's download can be tried: its host name is known. Asked once, without retries. */
export async function isDownloadReachable(): Promise<boolean> {
    return lookup(DOWNLOAD_HOST).then(
        () => true,
        () => false,
    );
}

/** Downloads the CLI from its vendor, or builds it from its Go module when that fails or is not `downloadable`. */
export function pulumiFilling(cacheDir: string, downloadable: boolean, report: Report): Filling {
    const folder = pulumiFolder(cacheDir);
    return {
        name: `Pulumi CLI ${PULUMI_VERSION}`,
        takes: downloadable
            ? "1 to 2 minutes (download of about 130 MB)"
            : "5 to 10 minutes (build from its Go module)",
        folders: [folder],
        async make(draft) {
            const made = path.join(draft, "pulumi");
            const downloaded = downloadable && (await tryDownload(draft, made, report));
            if (!downloaded) await build(made);
            const version = await versionOf(path.join(made, "bin", "pulumi"), path.join(draft, "home"));
            if (version !== PULUMI_VERSION) {
                throw new Error(
                    `The Pulumi CLI that was made says version '${version}', not ${PULUMI_VERSION}.`,
                );
            }
            return { [folder]: made };
        },
    };
}

async function tryDownload(draft: string, made: string, report: Report): Promise<boolean> {
    try {
        await downloadRelease(draft, made);
        return true;
    } catch (error) {
        report(
            `Pulumi CLI: the download failed (${(error as Error).message}); building it instead, 5 to 10 minutes`,
        );
        return false;
    }
}

/** The archive holds one folder `pulumi` with the CLI and its language hosts. */
async function downloadRelease(draft: string, made: string): Promise<void> {
    const os = process.platform === "darwin" ? "darwin" : "linux";
    const archive = `pulumi-v${PULUMI_VERSION}-${os}-${process.arch === "arm64" ? "arm64" : "x64"}.tar.gz`;
    const [file, sums] = [path.join(draft, archive), path.join(draft, "checksums.txt")];
    await download(`${RELEASE}/pulumi-${PULUMI_VERSION}-checksums.txt`, sums);
    await download(`https://${DOWNLOAD_HOST}/releases/sdk/${archive}`, file);
    const line = fs
        .readFileSync(sums, "utf8")
        .split("\n")
        .map((text) => text.trim().split(/\s+/))
        .find(([, name]) => name === archive);
    const actual = await sha256Of(file);
    if (line?.[0] !== actual)
        throw new Error(`${archive} has SHA-256 ${actual}, its release lists ${line?.[0]}`);
    fs.mkdirSync(made);
    await runCommand("tar", ["-xzf", file, "-C", made], {
        hint: "The archive is damaged or the disk is full.",
    });
    fs.renameSync(path.join(made, "pulumi"), path.join(made, "bin"));
}

async function build(made: string): Promise<void> {
    const version = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${PULUMI_VERSION}`;
    const output = path.join(made, "bin", "pulumi");
    await runCommand(
        "go",
        [
            "build",
            "-mod=readonly",
            "-ldflags",
            version,
            "-o",
            output,
            "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        ],
        {
            cwd: MODULE,
            nice: true,
            hint:
                "Check that Go reaches its module proxy (go env GOPROXY) and run again, or install the Pulumi CLI " +
                `${PULUMI_OLDEST} or newer on PATH: https://www.pulumi.com/docs/install/`,
        },
    );
}

async function versionOf(file: string, home: string): Promise<string | undefined> {
    const env = { PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" };
    const { code, output } = await tryCommand(file, ["version"], { env });
    return code === 0 ? /^v?(\d+\.\d+\.\d+)/m.exec(output)?.[1] : undefined;
}

/** Compares versions of three numbers. */
export function isAtLeast(version: string, oldest: string): boolean {
    const [a, b] = [version, oldest].map((text) => text.split(".").map(Number)) as [number[], number[]];
    const differing = b.findIndex((part, i) => (a[i] ?? 0) !== part);
    return differing < 0 || (a[differing] ?? 0) > (b[differing] ?? 0);
}
