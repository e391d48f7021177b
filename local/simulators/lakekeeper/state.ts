import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { CredentialType } from "./credential.ts";
import { uuidv7 } from "./ids.ts";
import type { Profile } from "./profile.ts";

/** The project that a server has by default (0.13.3). */
const defaultProjectId = "00000000-0000-0000-0000-000000000000";

export type DeleteProfile = { type: "hard" } | { type: "soft"; "expiration-seconds": number };

export interface Project {
    id: string;
    name: string;
}

export interface Warehouse {
    id: string;
    name: string;
    projectId: string;
    profile: Profile;
    /** Only the type of the credential is kept: nothing that the simulator does later needs the key. */
    credentialType?: CredentialType;
    deleteProfile: DeleteProfile;
    status: "active" | "inactive";
    protected: boolean;
    allowedFormatVersions: number[];
    defaultFormatVersion?: number;
    /** Absent: `self-managed`. */
    managedBy?: string;
    /** ISO time of the last change; null until the first one. */
    updatedAt: string | null;
    /** Top-level namespaces that were created through this warehouse and not dropped since. */
    namespaces: string[];
    /** Ids and protection of namespaces, by their full name with the unit separator. */
    namespaceFacts?: Record<string, NamespaceFacts>;
    /** Protected tables: when they came to be, by their id. */
    protectedTables?: Record<string, string>;
    /** Configuration of task queues, by the queue's name. */
    queues?: Record<string, QueueConfig>;
}

export interface NamespaceFacts {
    id: string;
    protected: boolean;
    /** ISO time; absent until the protection is set for the first time. */
    protectionChangedAt?: string;
}

export interface QueueConfig {
    config: Record<string, unknown>;
    maxSecondsSinceLastHeartbeat: number | null;
}

export interface User {
    id: string;
    name: string;
    email: string | null;
    "user-type": "human" | "application";
    "last-updated-with": "create-endpoint" | "update-endpoint";
    "created-at": string;
    "updated-at": string | null;
}

export interface Role {
    id: string;
    name: string;
    description: string | null;
    projectId: string;
    providerId: string;
    sourceId: string;
    createdAt: string;
    updatedAt: string | null;
    members: { type: "user" | "role"; id: string }[];
}

/** Who has what on an object, as OpenFGA keeps it. */
export interface Assignment {
    type: string;
    user?: string;
    role?: string;
}

/**
 * Work in the background: of a warehouse, which cannot be deleted until it is done or cancelled, or of a project.
 */
export interface Task {
    id: string;
    warehouseId?: string;
    /** Only of a project's own task. */
    projectId?: string;
    queue: "tabular_purge" | "tabular_expiration" | "task_log_cleanup";
    /** Id of the table. */
    entityId?: string;
    entityName?: string[];
    /** Milliseconds since 1970. */
    endsAt: number;
    /** ISO time. */
    createdAt?: string;
    /** Absent: to be done. */
    end?: "CANCELLED" | "SUCCESS";
}

/** A table that was dropped and can be brought back. In the Iceberg catalog it lies under another name. */
export interface DeletedTable {
    id: string;
    name: string;
    namespace: string[];
    warehouseId: string;
    createdAt: string;
    deletedAt: string;
    expiresAt: string;
    purge: boolean;
}

export interface State {
    serverId: string;
    bootstrapped: boolean;
    /** Users that the server has seen, or that were made. */
    users: User[];
    roles: Role[];
    /** By object: `server`, `project/<id>`, `warehouse/<id>`, … */
    assignments: Record<string, Assignment[]>;
    tasks: Task[];
    deletedTables: DeletedTable[];
    /** Settings of a project's own queue, by the project's id. */
    projectQueues: Record<string, QueueConfig>;
    projects: Project[];
    warehouses: Warehouse[];
}

/** The simulator's memory: all of it in one object, written to one file after each change. It holds no secret. */
export class Store {
    readonly state: State;
    /** Projects that the caller may not see; what is in them answers like what is not there. */
    readonly hiddenProjects = new Set<string>();
    /** Null: without a default project (`ENABLE_DEFAULT_PROJECT=false`). */
    readonly defaultProjectId: string | null;
    readonly #file: string | undefined;
    readonly #openFga: boolean;

    /**
     * @param file where the state is kept; without it nothing outlives the process
     * @throws {Error} when the file is there but is not a state
     */
    constructor(file?: string, { defaultProject = true, openFga = false } = {}) {
        this.#file = file;
        this.#openFga = openFga;
        this.defaultProjectId = defaultProject ? defaultProjectId : null;
        this.state = file && existsSync(file) ? read(file) : fresh();
    }

    /** Writes the state so that a crash leaves the old or the new one, never a part. */
    save(): void {
        if (!this.#file) return;
        const draft = `${this.#file}.new`;
        writeFileSync(draft, JSON.stringify(this.state, undefined, 1), { mode: 0o600 });
        renameSync(draft, this.#file);
    }

    /** What a caller gets on what they make; only a server with OpenFGA keeps that. */
    grant(object: string, type: string, caller: string | undefined): void {
        if (!this.#openFga || caller === undefined) return;
        const { assignments } = this.state;
        assignments[object] = [...(assignments[object] ?? []), { type, user: caller }];
        this.save();
    }

    project(id: string): Project | undefined {
        return this.state.projects.find((project) => project.id === id);
    }

    warehouse(id: string): Warehouse | undefined {
        const found = this.state.warehouses.find((warehouse) => warehouse.id === id.toLowerCase());
        return found && !this.hiddenProjects.has(found.projectId) ? found : undefined;
    }

    /** Names are compared without case and in compatibility form: `W1` and full-width letters clash with `w1`. */
    warehouseByName(projectId: string, name: string): Warehouse | undefined {
        const wanted = folded(name);
        return this.state.warehouses.find(
            (warehouse) => warehouse.projectId === projectId && folded(warehouse.name) === wanted,
        );
    }
}

function folded(name: string): string {
    return name.normalize("NFKC").toLowerCase();
}

function fresh(): State {
    return {
        serverId: uuidv7(),
        bootstrapped: false,
        users: [],
        roles: [],
        assignments: {},
        tasks: [],
        deletedTables: [],
        projectQueues: {},
        projects: [],
        warehouses: [],
    };
}

function read(file: string): State {
    try {
        const kept = JSON.parse(readFileSync(file, "utf8")) as State;
        // A file of an earlier release holds only ids of users: such a caller counts as not seen yet.
        const users = kept.users.filter((user) => typeof user === "object");
        return { ...fresh(), ...kept, users };
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(
            `The simulated Lakekeeper cannot read its state ${file} (${reason}). Move the file away to begin anew.`,
        );
    }
}
