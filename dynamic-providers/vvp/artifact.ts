import * as z from "zod";
import { HttpClient } from "../http/client.ts";
import { type Context, PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { unknown } from "../unknown.ts";
import { bringFile, checkedStream, contentName, progress, sizeFault, sourceFile } from "./artifact-file.ts";
import { VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { settled } from "./settle.ts";

/** A name of a file in URIs and arguments; `.` and `..` are none. */
const storable = /^(?!\.{1,2}$)[\w.+-]{1,255}$/;

const inputs = z.strictObject({
    connection: connectionSchema,
    source: z.string().min(1),
    fileName: z
        .string()
        .regex(storable, { error: "must be a file name of letters, digits and . _ + -" })
        .optional(),
    sha256: z.string().optional(),
    jarList: z.string().min(1).optional(),
    maximumMiB: z.number().positive().default(200),
    uploadEndpoint: z
        .string()
        .regex(/^https?:\/\/[^/\s?#]+\/?$/, {
            error: "must be an address without a path, like https://minio.example.com",
        })
        .optional(),
    timeoutSeconds: z.number().positive().default(900),
    adopt: z.boolean().default(false),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** What deployments name as `jarUri` or as an additional dependency: `s3i://<bucket>/artifacts/namespaces/<namespace>/<fileName>`. */
    uri: string;
    /** Bytes. */
    size: number;
    /** When the platform stored it, in its own form. */
    createTime: string;
}

/** Stands in the state for the hash of a file that somebody else put there, so that it differs from any real one. */
const foreign = "changed outside of Pulumi";

/** A file in the platform's artifact store, mostly a JAR: uploaded as a stream to a presigned URL. */
export const artifact: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP artifact",
    inputs,
    fields: {
        connection: connectionEffect,
        // Only the content counts: two people's checkouts lie in different folders.
        source: "ignore",
        fileName: "replace",
        sha256: "update",
        jarList: "ignore",
        maximumMiB: "ignore",
        uploadEndpoint: "ignore",
        timeoutSeconds: "ignore",
        adopt: "ignore",
    },
    // New content has a new name: it is there before the jobs change over to it.
    deleteBeforeReplace: false,

    async review({ new: wanted, known }) {
        if (!known("source", "jarList")) {
            return { inputs: { sha256: unknown, fileName: wanted.fileName ?? unknown } };
        }
        try {
            const { sha256, size } = await sourceFile(wanted.source, wanted.jarList);
            const large = known("maximumMiB") ? sizeFault(wanted.source, size, wanted.maximumMiB) : undefined;
            if (large !== undefined) return { faults: [large] };
            const fileName = wanted.fileName ?? contentName(wanted.source, sha256);
            if (storable.test(fileName)) return { inputs: { sha256, fileName } };
            const fault = `source: '${fileName}' is no name that the store takes: give fileName, of letters, digits and . _ + -`;
            return { faults: [fault] };
        } catch (error) {
            return { faults: [(error as Error).message] };
        }
    },

    async create(wanted, context) {
        const name = nameOf(wanted);
        const api = calls(wanted, name, context);
        const existing = wanted.adopt ? undefined : await api.find();
        if (existing) {
            // The store keeps no mark of ours with a file.
            const same = existing.size === (await sourceFile(wanted.source, wanted.jarList)).size;
            throw new Error(
                `VVP: artifact '${name}' in namespace '${api.client.namespace}' exists already, and this stack did not make it.\n` +
                    "What to do: set adopt: true to upload over it, or choose another fileName" +
                    (same
                        ? ". It has the size of the file: when a run of this stack was cut off, adopt: true goes on from there"
                        : ""),
            );
        }
        const outputs = await store(api, wanted, name, { uri: "", size: 0, createTime: "" });
        return { id: name, outputs };
    },

    async read(id, state, context) {
        const found = await calls(state, id, context).find();
        if (!found) return undefined;
        const same = found.size === state.size && found.createTime === state.createTime;
        return { inputs: same ? {} : { sha256: foreign }, outputs: found };
    },

    async update(id, state, wanted, context) {
        const api = calls(wanted, id, context);
        const found = await api.find();
        if (found && state.sha256 === wanted.sha256) return found;
        return store(api, wanted, id, { uri: state.uri, size: state.size, createTime: state.createTime });
    },

    async delete(id, state, context) {
        const api = calls(state, id, context);
        await api.client.delete(
            {
                path: dialect.artifact.remove(api.client.namespace),
                query: dialect.artifact.nameQuery(id),
                action: `delete artifact '${id}'`,
            },
            async () => (await api.find()) === undefined,
        );
    },
};

/**
 * Uploads, and checks what arrived. When that fails half-way, part of the new content may be there: then the state must
 * say neither that there is nothing nor that all is well.
 */
async function store(api: Calls, wanted: Inputs, name: string, before: Outputs): Promise<Outputs> {
    const action = `upload artifact '${name}'`;
    await bringFile(wanted.source, wanted.jarList);
    const { uri, uploadUrl } = await api.client.call(
        {
            method: "GET",
            path: dialect.artifact.signature(api.client.namespace),
            query: dialect.artifact.signatureQuery(name),
            action,
        },
        dialect.artifact.signatureAnswer,
    );
    const put = () => upload(new URL(uploadUrl), wanted, action);
    try {
        // The platform overwrites by name: when the answer is lost, uploading again does no harm.
        const size = await settled(put, put);
        const stored = await api.find();
        if (stored?.size === size) return stored;
        throw new Error(
            `VVP: artifact '${name}' was uploaded with ${size} bytes, but the platform ${stored ? `has ${stored.size}` : "does not know it"}.\n` +
                "What to do: run again; if it stays, look at the platform's blob storage",
        );
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new PartialCreateError(name, { ...before, uri, sha256: foreign }, message);
    }
}

/** Sends the file to the store and returns its size. */
async function upload(url: URL, wanted: Inputs, action: string): Promise<number> {
    const report = progress(action);
    const { size, body } = await checkedStream(wanted.source, wanted.sha256 ?? "", report);
    const endpoint = wanted.uploadEndpoint?.replace(/\/$/, "") ?? url.origin;
    // The presigned URL is the permission; the API token must not go to the store.
    const http = new HttpClient({
        system: "the artifact store of VVP",
        baseUrl: endpoint,
        caCertificate: wanted.connection.caCertificate,
        hint: () =>
            `${url.origin} is the address that the platform gives for uploads: it must be reachable from here, ` +
            `or uploadEndpoint must say under which address it is${wanted.uploadEndpoint === undefined ? "" : ` (it says ${endpoint})`}`,
    });
    await http.call({
        method: "PUT",
        path: url.pathname + url.search,
        // The signature is one for the host that the platform knows, wherever the bytes go to.
        headers: { ...dialect.artifact.uploadHeaders(size), host: url.host },
        body,
        action: `${action} (${size} bytes)`,
        deadlineSeconds: wanted.timeoutSeconds,
    });
    return size;
}

type Calls = ReturnType<typeof calls>;

function calls({ connection }: Pick<Inputs, "connection">, name: string, context: Context) {
    const client = new VvpClient(connection, context);
    return {
        client,
        find: () =>
            client.find(
                {
                    path: dialect.artifact.metadata(client.namespace),
                    query: dialect.artifact.nameQuery(name),
                    action: `read artifact '${name}'`,
                },
                dialect.artifact.collection(client.namespace),
                dialect.artifact.answer,
            ),
    };
}

function nameOf(wanted: Inputs): string {
    return wanted.fileName ?? contentName(wanted.source, wanted.sha256 ?? "");
}
