import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ARTIFACTS, bench, closeAfterEach, TOKEN } from "./harness.ts";

closeAfterEach();

describe("artifacts", () => {
    it("are uploaded without the token, overwritten, read, listed and deleted", async () => {
        const { call, upload, simulator } = await bench();
        const uri = await upload("fluss-client.jar", "12345");
        expect(uri).toBe("s3i://vvp/artifacts/namespaces/default/fluss-client.jar");
        const metadata = () => call("GET", `${ARTIFACTS}:getMetadata?filename=fluss-client.jar`);
        expect((await metadata()).body.data.artifact).toMatchObject({ uri, size: "5" });
        await upload("fluss-client.jar", "1234567");
        expect((await metadata()).body.data.artifact.size).toBe("7");
        const list = await call("GET", `${ARTIFACTS}:list`);
        expect(list.body.data.artifacts).toMatchObject([{ filename: "fluss-client.jar", size: "0" }]);
        const download = await fetch(`${simulator.url}${ARTIFACTS}:download?filename=fluss-client.jar`, {
            headers: { authorization: `Bearer ${TOKEN}` },
        });
        expect(await download.text()).toBe("1234567");
        expect((await call("DELETE", `${ARTIFACTS}:delete?filename=fluss-client.jar`)).status).toBe(200);
        expect((await metadata()).status).toBe(404);
    });

    it("refuse names with paths, unknown and expired signatures, and a bearer token on the upload", async () => {
        const { call, simulator } = await bench();
        const signature = (name: string) =>
            call("GET", `${ARTIFACTS}:signature?fileName=${name}&fileType=ARTIFACT`);
        expect((await signature("..%2Fx.jar")).status).toBe(400);
        expect((await call("GET", `${ARTIFACTS}:signature?fileType=ARTIFACT`)).status).toBe(400);
        const put = (url: string, headers = {}) => fetch(url, { method: "PUT", body: "x", headers });
        expect((await put(`${simulator.url}/_sim/blob/unknown`)).status).toBe(403);
        const { presignedUrlForPut } = (await signature("x.jar")).body.data;
        expect((await put(presignedUrlForPut, { authorization: `Bearer ${TOKEN}` })).status).toBe(400);
        const hasty = await bench({ signatureSeconds: 0.001 });
        const late = await hasty.call("GET", `${ARTIFACTS}:signature?fileName=x.jar&fileType=ARTIFACT`);
        await sleep(20);
        expect((await put(late.body.data.presignedUrlForPut)).status).toBe(403);
        expect((await call("GET", `${ARTIFACTS}:list`)).body.data.artifacts).toEqual([]);
    });

    it("keep the old file when an upload breaks off", async () => {
        const { call, upload, simulator } = await bench();
        await upload("a.jar", "old");
        const { body } = await call("GET", `${ARTIFACTS}:signature?fileName=a.jar&fileType=ARTIFACT`);
        const broken = new ReadableStream({
            async start(controller) {
                controller.enqueue(new TextEncoder().encode("ne"));
                await sleep(30);
                controller.error(new Error("cable cut"));
            },
        });
        const put = { method: "PUT", body: broken, duplex: "half" } as RequestInit;
        await expect(fetch(body.data.presignedUrlForPut, put)).rejects.toThrow();
        await sleep(30);
        const metadata = await call("GET", `${ARTIFACTS}:getMetadata?filename=a.jar`);
        expect(metadata.body.data.artifact.size).toBe("3");
        const download = await fetch(`${simulator.url}${ARTIFACTS}:download?filename=a.jar`, {
            headers: { authorization: `Bearer ${TOKEN}` },
        });
        expect(await download.text()).toBe("old");
    });

    it("are not found as the option says: by status, or by success=false in an answer of status 200", async () => {
        const missing = `${ARTIFACTS}:getMetadata?filename=none.jar`;
        const byStatus = await (await bench()).call("GET", missing);
        const byEnvelope = await (await bench({ errorStyle: "envelope" })).call("GET", missing);
        expect([byStatus.status, byEnvelope.status]).toEqual([404, 200]);
        const problem = { success: false, httpCode: 404, errorCode: "990301" };
        expect(byStatus.body).toMatchObject(problem);
        expect(byEnvelope.body).toMatchObject(problem);
    });
});
