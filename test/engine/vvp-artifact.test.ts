import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VvpArtifact } from "../../dynamic-providers/vvp/resources.ts";
import { vvpWorkspace, type Workspace } from "./vvp-platform.ts";

const artifacts = "/artifacts/v1/namespaces/default";
let w: Workspace;
let source: string;
const wish: { fileName?: string } = {};

/** Names and sizes in the artifact store. */
async function stored(): Promise<Record<string, unknown>> {
    const { artifacts: files } = await w.outside("GET", `${artifacts}/artifacts:list`);
    const found: Record<string, unknown> = {};
    for (const { filename } of files as { filename: string }[]) {
        const { artifact } = await w.outside(
            "GET",
            `${artifacts}/artifacts:getMetadata?filename=${filename}`,
        );
        found[filename] = (artifact as { size: string }).size;
    }
    return found;
}

beforeAll(async () => {
    w = await vvpWorkspace((connection) => {
        const { uri, sha256 } = new VvpArtifact("jar", { connection, source, ...wish });
        return { uri, sha256 };
    });
    source = path.join(w.stack.folder, "job.jar");
    fs.writeFileSync(source, "one");
});
afterAll(() => w.dispose());

describe("an artifact named by its content", () => {
    test("is uploaded, and then nothing changes", async () => {
        const { outputs } = await w.stack.up();
        // sha256sum of "one"
        expect(outputs["sha256"]?.value).toBe(
            "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
        );
        expect(outputs["uri"]?.value).toBe("s3i://vvp/artifacts/namespaces/default/job-7692c3ad.jar");
        expect(await stored()).toEqual({ "job-7692c3ad.jar": "3" });
        expect((await w.stack.up()).changes).toEqual({ same: 2 });
    });

    test("the same content in another folder is no change", async () => {
        const moved = path.join(w.stack.folder, "moved");
        fs.mkdirSync(moved);
        fs.renameSync(source, path.join(moved, "job.jar"));
        source = path.join(moved, "job.jar");
        expect((await w.stack.up()).changes).toEqual({ same: 2 });
    });

    test("new content shows in the preview and is made before the old one goes", async () => {
        fs.writeFileSync(source, "two!");
        expect((await w.stack.preview()).changes).toMatchObject({ replace: 1 });
        const { steps } = await w.stack.up();
        expect(steps.map(({ op }) => op).filter((op) => op !== "same")).toEqual([
            "create-replacement",
            "replace",
            "delete-replaced",
        ]);
        expect(Object.values(await stored())).toEqual(["4"]);
    });

    test("deleted outside: refresh drops it, the next run uploads it again", async () => {
        const [name] = Object.keys(await stored());
        await w.outside("DELETE", `${artifacts}/artifacts:delete?filename=${name}`);
        expect((await w.stack.refresh()).changes).toMatchObject({ delete: 1 });
        expect((await w.stack.up()).changes).toMatchObject({ create: 1 });
        expect(Object.values(await stored())).toEqual(["4"]);
    });
});

describe("an artifact with a name of its own", () => {
    test("new content is uploaded over the old under the same URI", async () => {
        wish.fileName = "job.jar";
        const { outputs } = await w.stack.up();
        fs.writeFileSync(source, "three");
        const next = await w.stack.up();
        expect(next.changes).toMatchObject({ update: 1 });
        expect(next.outputs["uri"]?.value).toBe(outputs["uri"]?.value);
        expect(await stored()).toEqual({ "job.jar": "5" });
    });

    test("an upload whose answer gets lost is sent again", async () => {
        fs.writeFileSync(source, "four 4");
        w.platform.faults.loseNextAnswer("simPutBlob");
        await w.stack.up();
        expect(await stored()).toEqual({ "job.jar": "6" });
    });

    test("a refused upload is told, and the next run repairs it", async () => {
        fs.writeFileSync(source, "five 55");
        w.platform.faults.failNext("simPutBlob", 403, { message: "signature expired" });
        await expect(w.stack.up()).rejects.toThrow(/upload artifact 'job.jar' \(7 bytes\).*403/s);
        await w.stack.refresh();
        await w.stack.up();
        expect(await stored()).toEqual({ "job.jar": "7" });
    });

    test("changed outside: refresh shows it, the next run uploads ours again", async () => {
        const signature = `${artifacts}/artifacts:signature?fileName=job.jar&fileType=ARTIFACT`;
        const { presignedUrlForPut } = await w.outside("GET", signature);
        await fetch(String(presignedUrlForPut), {
            method: "PUT",
            body: "theirs, and longer",
            headers: { "content-type": "application/octet-stream" },
        });
        expect((await w.stack.refresh()).changes).toMatchObject({ update: 1 });
        await w.stack.up();
        expect(await stored()).toEqual({ "job.jar": "7" });
    });

    test("a size that does not fit is an error", async () => {
        fs.writeFileSync(source, "six");
        const artifact = {
            filename: "job.jar",
            uri: "s3i://vvp/x/job.jar",
            size: "99",
            createTime: "2026-01-01T00:00:00Z",
        };
        // The second read is the one after the upload.
        w.platform.faults.failNext("getArtifactMetadata", 200, { success: true, data: { artifact } }, 2);
        await expect(w.stack.up()).rejects.toThrow("was uploaded with 3 bytes, but the platform has 99");
        await w.stack.up();
        expect(await stored()).toEqual({ "job.jar": "3" });
    });

    test("a file that is not there is refused in the preview", async () => {
        const good = source;
        source = "nowhere.jar";
        await expect(w.stack.preview()).rejects.toThrow(/'nowhere.jar' cannot be read \(ENOENT\)/);
        source = good;
    });

    test("is deleted", async () => {
        await w.stack.destroy();
        expect(await stored()).toEqual({});
        expect(w.platform.violations).toEqual([]);
    });
});
