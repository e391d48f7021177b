import { gunzipSync } from "node:zlib";
import type { TestBed } from "./bed.ts";

/** What Helm keeps of the newest revision: the values it was given, and the manifest it rendered. */
export async function helmRecord(
    bed: TestBed,
    namespace: string,
    release: string,
): Promise<{ config: unknown; manifest: string }> {
    const selector = encodeURIComponent(`owner=helm,name=${release}`);
    const list = await bed.get(`/api/v1/namespaces/${namespace}/secrets?labelSelector=${selector}`);
    const newest = (list?.items ?? [])
        .sort((a, b) => Number(a.metadata.labels["version"]) - Number(b.metadata.labels["version"]))
        .at(-1);
    const twice = Buffer.from(newest?.data["release"] ?? "", "base64").toString("utf8");
    return JSON.parse(gunzipSync(Buffer.from(twice, "base64")).toString("utf8"));
}
