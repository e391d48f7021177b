import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { type HttpAnswer, HttpClient, type OpenAnswer } from "../http/client.ts";
import { openDownload, ownAuthorities } from "./download.ts";
import { type ImageRepository, isLoopback } from "./image-reference.ts";
import { basicHeader, findLogin, type Login, loginHint } from "./registry-login.ts";

/** An image of one platform: its layers, the lowest first. */
export interface ImageManifest {
    /** Digest of what the tag names, an index maybe: `sha256:…`. Reading by it gives the same layers for ever. */
    digest: string;
    layers: Layer[];
}

export interface Layer {
    mediaType: string;
    digest: string;
    /** Bytes, as they are sent. */
    size: number;
}

/** Reads images from a registry, by the OCI distribution protocol: no Docker is needed. */
export class ImageRegistry {
    readonly #repository: ImageRepository;
    #login: Login | undefined;
    #authorization: string | undefined;

    constructor(repository: ImageRepository) {
        this.#repository = repository;
    }

    /**
     * The layers of an image. Of an index that of linux/amd64 is taken, else the first of Linux: JARs are the same on all.
     * @param reference tag or digest
     * @throws when there is none, it may not be read, or it is not what its digest says
     */
    async manifest(reference: string): Promise<ImageManifest> {
        const top = await this.#document(reference);
        const index = indexSchema.safeParse(top.json);
        if (!index.success) return { digest: top.digest, layers: this.#layers(top.json, reference) };
        const images = index.data.manifests.filter(({ platform }) => (platform?.os ?? "linux") === "linux");
        const image = images.find(({ platform }) => platform?.architecture === "amd64") ?? images[0];
        if (!image) {
            throw new Error(
                `${this.#name(reference)} holds no image for Linux. What to do: give another tag`,
            );
        }
        const { json } = await this.#document(image.digest);
        return { digest: top.digest, layers: this.#layers(json, reference) };
    }

    /** The bytes of a layer as they are sent; the reader checks them against its digest. */
    async layer({ digest }: Layer): Promise<Readable> {
        const answer = await this.#get(`blobs/${digest}`, "*/*", `read layer ${digest} of ${this.#name()}`);
        return answer.body;
    }

    async #document(reference: string): Promise<{ digest: string; json: unknown }> {
        const action = `read the manifest of ${this.#name(reference)}`;
        const answer = await this.#get(`manifests/${reference}`, manifestTypes.join(), action);
        const content = Buffer.from(await text(limited(answer.body, 8 * 1024 * 1024)));
        const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
        const promised = reference.includes(":") ? reference : answer.headers["docker-content-digest"];
        if (promised !== undefined && promised !== digest) {
            throw new Error(
                `${this.#name(reference)}: the manifest that came is ${digest}, not ${promised}. ` +
                    "What to do: try again; if it stays, something on the way changes what the registry sends",
            );
        }
        try {
            return { digest, json: JSON.parse(content.toString()) };
        } catch {
            throw new Error(`${this.#name(reference)}: what ${this.#repository.origin} sends is no manifest`);
        }
    }

    #layers(json: unknown, reference: string): Layer[] {
        const manifest = manifestSchema.safeParse(json);
        if (manifest.success) return manifest.data.layers;
        throw new Error(
            `${this.#name(reference)} is no image in the form of OCI or of Docker since 1.10. What to do: give an image of Fluss`,
        );
    }

    /** A good answer; a challenge is answered once for each request, since a token may end between two layers. */
    async #get(path: string, accept: string, action: string): Promise<OpenAnswer> {
        const ask = () =>
            openDownload({
                system: "the image registry",
                url: new URL(`${this.#repository.origin}/v2/${this.#repository.path}/${path}`),
                action,
                accept,
                readError,
                secrets: this.#secrets(),
                hint: ({ status }) => this.#hint(status),
                ...(this.#authorization ? { authorization: this.#authorization } : {}),
            });
        let answer = await ask();
        const challenge = answer.headers["www-authenticate"];
        // That of a host to which the registry sends its callers would have the login sent to whom it names.
        const own = answer.url.origin === new URL(this.#repository.origin).origin;
        if (own && answer.status === 401 && challenge !== undefined) {
            const authorization = await this.#authorize(String(challenge));
            if (authorization) {
                await answer.discard();
                this.#authorization = authorization;
                answer = await ask();
            }
        }
        const page = /^text\/html\b/i.test(String(answer.headers["content-type"] ?? ""));
        return answer.status === 200 && !page ? answer : answer.fail();
    }

    async #authorize(challenge: string): Promise<string | undefined> {
        this.#login = await findLogin(this.#repository.registry);
        if (/^basic\b/i.test(challenge)) return this.#login && basicHeader(this.#login);
        const parameter = (name: string) =>
            new RegExp(`\\b${name}="([^"]*)"`, "i").exec(challenge)?.[1] || undefined;
        const realm = parameter("realm");
        const known = /^bearer\b/i.test(challenge) && realm !== undefined && URL.canParse(realm);
        if (!known) {
            throw new Error(
                `${this.#repository.origin} wants a kind of login that is not known here (${challenge.slice(0, 100)})`,
            );
        }
        const token = await this.#token(new URL(realm), {
            service: parameter("service"),
            scope: parameter("scope") ?? `repository:${this.#repository.path}:pull`,
        });
        return `Bearer ${token}`;
    }

    /** Asks the token service that the registry names; without a login, as anybody. */
    async #token(realm: URL, query: Record<string, string | undefined>): Promise<string> {
        if (
            realm.protocol !== "https:" &&
            !(isLoopback(realm.hostname) && isLoopback(new URL(this.#repository.origin).hostname))
        ) {
            throw new Error(
                `${this.#repository.origin} names a token service without TLS, ${realm.origin}: no login is sent there`,
            );
        }
        const client = new HttpClient({
            system: `the token service of ${this.#repository.registry}`,
            baseUrl: realm.origin,
            caCertificate: ownAuthorities(),
            headers: (): Record<string, string> =>
                this.#login ? { authorization: basicHeader(this.#login) } : {},
            secrets: () => this.#secrets(),
            readError,
            hint: ({ status }) => this.#hint(status),
        });
        const call = {
            method: "GET" as const,
            path: realm.pathname + realm.search,
            query,
            action: `get a token to read ${this.#name()}`,
        };
        const answer = await client.call(call);
        const found = tokenSchema.safeParse(answer.json);
        const token = found.success ? (found.data.token ?? found.data.access_token) : undefined;
        if (token) return token;
        throw new Error(
            `the token service of ${this.#repository.registry}, ${realm.origin}, answered without a token`,
        );
    }

    #secrets(): string[] {
        const login = this.#login;
        return [
            ...(login ? [login.password, basicHeader(login).slice("Basic ".length)] : []),
            ...(this.#authorization ? [this.#authorization.replace(/^\w+ /, "")] : []),
        ];
    }

    #hint(status: number | undefined): string | undefined {
        const { registry, path } = this.#repository;
        if (status === 401 || status === 403) return loginHint(registry, this.#login);
        // Who may not see a repository is often told that it is not there.
        if (status === 404)
            return `check the name and the tag of ${path}${this.#login ? "" : `; ${loginHint(registry, undefined)}`}`;
        return undefined;
    }

    #name(reference = ""): string {
        const { registry, path } = this.#repository;
        if (reference === "") return `${registry}/${path}`;
        return `${registry}/${path}${reference.includes(":") ? "@" : ":"}${reference}`;
    }
}

const manifestTypes = [
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
];

const digestForm = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const indexSchema = z.object({
    manifests: z.array(
        z.object({
            digest: digestForm,
            platform: z.object({ os: z.string(), architecture: z.string() }).optional(),
        }),
    ),
});
const manifestSchema = z.object({
    schemaVersion: z.literal(2),
    layers: z
        .array(z.object({ mediaType: z.string(), digest: digestForm, size: z.number().nonnegative() }))
        .max(1000),
});
const tokenSchema = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"…"}]}` */
function readError({ json }: HttpAnswer): { type?: string; message?: string } {
    const known = z.object({ errors: z.array(z.object({ code: z.string(), message: z.string() })).min(1) });
    const found = known.safeParse(json);
    return found.success ? { type: found.data.errors[0]!.code, message: found.data.errors[0]!.message } : {};
}

async function* limited(body: Readable, bytes: number): AsyncGenerator<Buffer> {
    let left = bytes;
    for await (const piece of body) {
        left -= (piece as Buffer).length;
        if (left < 0) throw new Error(`the registry sends more than ${bytes} bytes as a manifest`);
        yield piece as Buffer;
    }
}
