import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import { isNotFound, type LakekeeperCall, type LakekeeperClient, repeated } from "./client.ts";
import { type Credential, secretsOf, toCredential } from "./storage/credential.ts";
import { profileAnswer, type Storage, toProfile } from "./storage/index.ts";

/** A warehouse as the server tells it. Fields that older servers do not have are optional. */
export const warehouseAnswer = z
    .looseObject({
        "warehouse-id": z.string().optional(),
        id: z.string().optional(),
        name: z.string(),
        "project-id": z.string(),
        "storage-profile": profileAnswer,
        "storage-credential-type": z
            .looseObject({ type: z.string(), "credential-type": z.string() })
            .nullish(),
        "delete-profile": z.looseObject({ type: z.string(), "expiration-seconds": z.number().optional() }),
        status: z.string(),
        protected: z.boolean().default(false),
        "allowed-format-versions": z.array(z.number()).optional(),
        "default-format-version": z.number().nullish(),
        "managed-by": z.string().optional(),
    })
    .transform((answer) => ({ ...answer, warehouseId: answer["warehouse-id"] ?? answer.id ?? "" }));

export type WarehouseAnswer = z.output<typeof warehouseAnswer>;

/** How long dropped tables can be brought back. */
export type DeleteProfile = { type: "hard" } | { type: "soft"; expirationSeconds: number };

const base = "/management/v1/warehouse";

/** The active warehouses of a project: 0.13.3 cannot list deactivated ones. */
export async function listWarehouses(client: LakekeeperClient, project?: string): Promise<WarehouseAnswer[]> {
    const answer = await client.call(
        { method: "GET", path: base, action: `list the warehouses of ${describeProject(project)}`, project },
        z.looseObject({ warehouses: z.array(warehouseAnswer) }),
    );
    return answer.warehouses;
}

/** The server compares names without case and in compatibility form. */
export function sameName(one: string, other: string): boolean {
    return one.normalize("NFKC").toLowerCase() === other.normalize("NFKC").toLowerCase();
}

/** "project 'x'", or the default one. */
export function describeProject(project: string | undefined): string {
    return project ? `project '${project}'` : "the default project";
}

/** Calls on one warehouse. All of them say how it shall be, so each may be repeated. */
export class WarehouseCalls {
    readonly #client: LakekeeperClient;
    readonly #id: string;
    readonly #label: string;

    /** @param label the warehouse for people, for example `'fluss'` */
    constructor(client: LakekeeperClient, id: string, label: string) {
        this.#client = client;
        this.#id = id;
        this.#label = label;
    }

    /** Undefined when there is none with this id, or none that the caller may see. */
    async find(): Promise<WarehouseAnswer | undefined> {
        const call = { method: "GET", path: this.#path(), action: `read warehouse ${this.#label}` } as const;
        try {
            return await this.#client.call(call, warehouseAnswer);
        } catch (error) {
            if (isNotFound(error)) return undefined;
            throw error;
        }
    }

    rename(name: string): Promise<void> {
        return this.#post("rename", { "new-name": name }, `rename warehouse ${this.#label} to '${name}'`);
    }

    /** A profile without a credential would take the credential away. */
    setStorage(storage: Storage, credential: Credential | undefined): Promise<void> {
        const body = storageBody(storage, credential);
        const action = `change the storage of warehouse ${this.#label}`;
        return this.#post("storage", body, action, { credential: true, secrets: secretsOf(credential) });
    }

    setCredential(credential: Credential | undefined): Promise<void> {
        const action = `change the credential of warehouse ${this.#label}`;
        const carries = { credential: true, secrets: secretsOf(credential) };
        return this.#post("storage-credential", credentialBody(credential), action, carries);
    }

    setDeleteProfile(profile: DeleteProfile): Promise<void> {
        const body = { "delete-profile": toDeleteProfile(profile) };
        return this.#post("delete-profile", body, `change the delete profile of warehouse ${this.#label}`);
    }

    setProtected(wanted: boolean): Promise<void> {
        const action = `${wanted ? "protect" : "unprotect"} warehouse ${this.#label}`;
        return this.#post("protection", { protected: wanted }, action);
    }

    setFormatVersions(allowed: number[], chosen: number | undefined): Promise<void> {
        const body = { "allowed-format-versions": allowed, "default-format-version": chosen };
        return this.#post(
            "format-version-policy",
            body,
            `change the format versions of warehouse ${this.#label}`,
        );
    }

    /** Only an instance admin may. */
    setManagedBy(manager: string): Promise<void> {
        const action = `let warehouse ${this.#label} be managed by ${manager}`;
        return this.#post("managed-by", { "managed-by": manager }, action);
    }

    /**
     * Reading it afterwards brings the server's cache up to date, which otherwise takes the warehouse for what it was
     * for a minute (0.13.3 observed).
     */
    async setActive(active: boolean): Promise<void> {
        const verb = active ? "activate" : "deactivate";
        await this.#post(verb, undefined, `${verb} warehouse ${this.#label}`);
        await this.find();
    }

    /** @throws {ApiError} also when the warehouse is not empty */
    async delete(): Promise<void> {
        await this.#client.send({
            method: "DELETE",
            path: this.#path(),
            action: `delete warehouse ${this.#label}`,
        });
    }

    #path(): string {
        return `${base}/${pathSegment(this.#id)}`;
    }

    async #post(
        verb: string,
        json: unknown,
        action: string,
        carries: Pick<LakekeeperCall, "credential" | "secrets"> = {},
    ): Promise<void> {
        const path = `${this.#path()}/${verb}`;
        await repeated(() => this.#client.send({ method: "POST", path, json, action, ...carries }));
    }
}

/** A changed storage as the API writes it: the whole profile with its credential. */
export function storageBody(storage: Storage, credential: Credential | undefined): Record<string, unknown> {
    return {
        "storage-profile": toProfile(storage),
        "storage-credential": credential && toCredential(credential),
    };
}

/** A changed credential as the API writes it. */
export function credentialBody(credential: Credential | undefined): Record<string, unknown> {
    return { "new-storage-credential": credential && toCredential(credential) };
}

/** What the body of a new warehouse holds. */
export interface WarehouseBody {
    name: string;
    storage: Storage;
    credential?: Credential;
    deleteProfile: DeleteProfile;
    allowedFormatVersions?: number[];
    defaultFormatVersion?: number;
    managedBy?: string;
}

/** A new warehouse as the API writes it. */
export function createBody(wanted: WarehouseBody): Record<string, unknown> {
    return {
        "warehouse-name": wanted.name,
        "storage-profile": toProfile(wanted.storage),
        "storage-credential": wanted.credential && toCredential(wanted.credential),
        "delete-profile": toDeleteProfile(wanted.deleteProfile),
        "allowed-format-versions": wanted.allowedFormatVersions,
        "default-format-version": wanted.defaultFormatVersion,
        "managed-by": wanted.managedBy,
    };
}

/** The delete profile as the API writes it. */
function toDeleteProfile(profile: DeleteProfile): Record<string, unknown> {
    return profile.type === "hard"
        ? { type: "hard" }
        : { type: "soft", "expiration-seconds": profile.expirationSeconds };
}
