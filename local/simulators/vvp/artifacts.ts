import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { enveloped } from "./dialect.ts";
import type { ArtifactFile } from "./state.ts";

/**
 * Artifacts: a signature names a URL for one upload, the bytes go there without the bearer token, straight to disk.
 * The same name overwrites; the list tells size "0", only the metadata tells the real one (Ververica Cloud OpenAPI).
 */
export function artifactHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { artifacts } = store.state;
    const uploads = new Map<string, { namespace: string; filename: string; until: number }>();
    const show = (artifact: ArtifactFile) => ({
        filename: artifact.filename,
        uri: artifactUri(artifact.namespace, artifact.filename),
        size: String(artifact.size),
        createTime: artifact.createTime,
        namespace: `namespaces/${artifact.namespace}`,
    });
    const find = (call: Call) => {
        const filename = call.query.get("filename");
        const found = artifacts.find(
            (a) => a.namespace === call.params["namespace"] && a.filename === filename,
        );
        if (!found)
            throw new Refusal(404, `artifact ${filename} not found in namespace ${call.params["namespace"]}`);
        return found;
    };
    return {
        getArtifactSignature: (call) => {
            const namespace = call.params["namespace"]!;
            const filename = call.query.get("fileName")!;
            if (!/^[\w.-]+$/.test(filename) || filename.startsWith(".")) {
                throw new Refusal(
                    400,
                    `${JSON.stringify(filename)} is no name for an artifact: letters, digits, "_", "-" and "."`,
                );
            }
            const token = randomBytes(24).toString("hex");
            uploads.set(token, { namespace, filename, until: Date.now() + context.signatureSeconds * 1000 });
            return enveloped({
                kind: "s3i",
                artifactPath: artifactUri(namespace, filename),
                presignedUrlForPut: `${context.url()}/_sim/blob/${token}`,
            });
        },
        simPutBlob: async (call) => {
            const upload = uploads.get(call.params["blobToken"]!);
            if (!upload || upload.until < Date.now())
                throw new Refusal(403, "the signature is unknown or has expired");
            if (call.headers.authorization !== undefined) {
                throw new Refusal(
                    400,
                    "a presigned URL carries its own authorization: send no Authorization header",
                );
            }
            const file = blobFile(context, upload.namespace, upload.filename);
            const draft = `${file}.${call.params["blobToken"]}`;
            fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
            try {
                await pipeline(call.stream, fs.createWriteStream(draft, { mode: 0o600 }));
            } catch {
                fs.rmSync(draft, { force: true });
                throw new Refusal(400, "the upload broke off before its end");
            }
            const { size } = fs.statSync(draft);
            fs.renameSync(draft, file);
            const { namespace, filename } = upload;
            const old = artifacts.findIndex((a) => a.namespace === namespace && a.filename === filename);
            if (old >= 0) artifacts.splice(old, 1);
            artifacts.push({ namespace, filename, size, createTime: new Date().toISOString() });
            store.save();
            return { status: 200 };
        },
        listArtifacts: (call) =>
            enveloped({
                artifacts: artifacts
                    .filter((artifact) => artifact.namespace === call.params["namespace"])
                    .map((artifact) => ({ ...show(artifact), size: "0" })),
            }),
        getArtifactMetadata: (call) => enveloped({ artifact: show(find(call)) }),
        downloadArtifact: (call) => {
            const { namespace, filename } = find(call);
            return { status: 200, stream: fs.createReadStream(blobFile(context, namespace, filename)) };
        },
        deleteArtifact: (call) => {
            const artifact = find(call);
            artifacts.splice(artifacts.indexOf(artifact), 1);
            fs.rmSync(blobFile(context, artifact.namespace, artifact.filename), { force: true });
            store.save();
            return enveloped({});
        },
    };
}

/** The URI that goes into `jarUri` and `additionalDependencies`. */
export function artifactUri(namespace: string, filename: string): string {
    return `s3i://vvp/artifacts/namespaces/${namespace}/${filename}`;
}

/** The file on this machine that an artifact URI names; `undefined` when nothing was uploaded there. */
export function artifactFile(context: Context, uri: string): string | undefined {
    const found = context.store.state.artifacts.find((a) => artifactUri(a.namespace, a.filename) === uri);
    return found && blobFile(context, found.namespace, found.filename);
}

function blobFile({ store }: Context, namespace: string, filename: string): string {
    return path.join(store.blobs, namespace, filename);
}
