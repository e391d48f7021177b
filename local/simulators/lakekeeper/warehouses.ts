import { type Answer, empty, refuse, refuseText } from "./answers.ts";
import { decodeCredential } from "./credential.ts";
import { decodeBody, type Fields } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { uuidv1 } from "./ids.ts";
import { checkStorage, type StorageCheck } from "./probe.ts";
import { decodeProfile, normaliseProfile, profilesOverlap, updateProfile } from "./profile.ts";
import { selectProject } from "./projects.ts";
import type { Store, Warehouse } from "./state.ts";
import type { StatusCache } from "./status-cache.ts";
import type { Switches } from "./switches.ts";
import { unfinishedTasks } from "./tasks.ts";
import { knows, type Version } from "./version.ts";
import {
    checkFormatVersions,
    checkManager,
    checkName,
    checkSpecMutable,
    decodeDeleteProfile,
    decodeFormatVersions,
    decodeManager,
    decodeNewWarehouse,
} from "./warehouse-body.ts";
import { notFound } from "./warehouse-not-found.ts";

/** What the warehouse calls need beside the store. */
export interface WarehouseBackend {
    /** Absent: storage is not checked, like the real server with `SKIP_STORAGE_VALIDATION`. */
    storage?: StorageCheck;
    /** After how long a check of the storage ends with 408, as every request does (`MAX_REQUEST_TIME`). */
    requestSeconds: number;
    /** Top-level namespaces of a warehouse, by asking the catalog when it can be asked. */
    namespacesOf: (warehouse: Warehouse) => Promise<string[]>;
    /** The status as the real server's cache sees it: up to 60 s behind after activate and deactivate. */
    statusCache: StatusCache;
    version: Version;
    /** Whether the server may use what its pod runs as. */
    systemIdentities: boolean;
    switches: Switches;
}

const base = "/management/v1/warehouse";

/** Everything under `/management/v1/warehouse`. */
export function warehouseRoutes(store: Store, backend: WarehouseBackend): Route[] {
    const cache = backend.statusCache;
    const act = (
        action: string,
        operationId: string,
        work: (warehouse: Warehouse, request: Request) => Answer | Promise<Answer>,
        options: { refreshes?: boolean } = {},
    ): Route => ({
        method: "POST",
        path: `${base}/{warehouse_id}/${action}`,
        operationId,
        handle: (request) => {
            const warehouse = find(store, request);
            if (action !== "managed-by") {
                checkSpecMutable(warehouse.managedBy, backend.switches.instanceAdmin);
            }
            if (options.refreshes !== false) cache.refresh(warehouse.id);
            return work(warehouse, request);
        },
    });
    return [
        {
            method: "GET",
            path: `${base}/{warehouse_id}/statistics`,
            operationId: "get_warehouse_statistics",
            handle: (request) => statistics(find(store, request)),
        },
        { method: "GET", path: base, operationId: "list_warehouses", handle: (r) => list(store, cache, r) },
        {
            method: "POST",
            path: base,
            operationId: "create_warehouse",
            handle: (r) => create(store, backend, r),
        },
        {
            method: "GET",
            path: `${base}/{warehouse_id}`,
            operationId: "get_warehouse",
            handle: (request) => {
                const warehouse = find(store, request);
                cache.refresh(warehouse.id);
                return { status: 200, json: show(warehouse) };
            },
        },
        {
            method: "DELETE",
            path: `${base}/{warehouse_id}`,
            operationId: "delete_warehouse",
            handle: (request) => remove(store, backend, request),
        },
        act("rename", "rename_warehouse", (warehouse, request) => rename(store, warehouse, request)),
        act("storage", "update_storage_profile", (w, request) => updateStorage(store, backend, w, request)),
        act("storage-credential", "update_storage_credential", (w, request) =>
            updateCredential(store, backend, w, request),
        ),
        act("activate", "activate_warehouse", (w) => setStatus(store, cache, w, "active"), {
            refreshes: false,
        }),
        act("deactivate", "deactivate_warehouse", (w) => setStatus(store, cache, w, "inactive"), {
            refreshes: false,
        }),
        act(
            "delete-profile",
            "update_warehouse_delete_profile",
            (warehouse, request) => {
                const profile = read(request, (body) => decodeDeleteProfile(body));
                if (warehouse.status === "inactive" || cache.of(warehouse) === "inactive") {
                    throw notFound(warehouse.id);
                }
                return changed(store, warehouse, { deleteProfile: profile });
            },
            { refreshes: false },
        ),
        act("protection", "set_warehouse_protection", (warehouse, request) => {
            const wanted = read(request, (body) => body.boolean("protected"));
            if (wanted !== warehouse.protected) changed(store, warehouse, { protected: wanted });
            return { status: 200, json: { protected: wanted, updated_at: warehouse.updatedAt } };
        }),
        act("format-version-policy", "update_warehouse_format_version_policy", (warehouse, request) => {
            const policy = read(request, (body) => decodeFormatVersions(body, true));
            checkFormatVersions(policy);
            return changed(store, warehouse, policy);
        }),
        act("managed-by", "set_warehouse_managed_by", (warehouse, request) => {
            const managedBy = read(request, (body) => decodeManager(body));
            if (backend.switches.instanceAdmin) return changed(store, warehouse, { managedBy });
            const message = "Action `set_warehouse_managed_by` requires instance-admin privilege.";
            throw refuse(403, "InstanceAdminRequired", message);
        }),
    ];
}

/** The counts of the current hour. The simulator counts nothing: like a fresh warehouse's they are 0. */
function statistics(warehouse: Warehouse): Answer {
    const now = new Date();
    const hour = new Date(now);
    hour.setUTCMinutes(0, 1, 0);
    const counts = { "number-of-tables": 0, "number-of-views": 0 };
    const stats = [
        { timestamp: hour.toISOString().replace(".000", ""), ...counts, "updated-at": now.toISOString() },
    ];
    const token = Buffer.from(`1&${hour.getTime() * 1000}&`).toString("base64url");
    return { status: 200, json: { "warehouse-ident": warehouse.id, stats, "next-page-token": token } };
}

function find(store: Store, request: Request): Warehouse {
    const id = request.params["warehouse_id"] ?? "";
    const warehouse = store.warehouse(id);
    if (!warehouse) throw notFound(id);
    return warehouse;
}

/** Lists the active ones only: 0.13.3 cannot be asked for inactive warehouses. */
function list(store: Store, cache: StatusCache, request: Request): Answer {
    const status = request.query.get("warehouseStatus");
    if (status !== null) {
        throw refuseText(
            400,
            `Failed to deserialize query string: warehouseStatus: invalid type: string "${status}", expected a sequence`,
        );
    }
    const projectId = request.query.get("projectId") ?? selectProject(store, request.headers);
    const all = store.state.warehouses.filter((warehouse) => warehouse.projectId === projectId);
    for (const warehouse of all) cache.refresh(warehouse.id);
    return { status: 200, json: { warehouses: all.filter((w) => w.status === "active").map(show) } };
}

async function create(store: Store, backend: WarehouseBackend, request: Request): Promise<Answer> {
    const wanted = read(request, (body) => decodeNewWarehouse(body, backend.version));
    const projectId = wanted.projectId ?? selectProject(store, request.headers);
    checkFormatVersions(wanted.versions);
    checkManager(wanted.managedBy, backend.switches.instanceAdmin);
    checkName(wanted.name);
    const profile = normaliseProfile(wanted.profile, wanted.credential);
    // As on the real server both checks look at the moment before the storage was tried, so two parallel requests
    // for one location can both pass.
    const looksAt = (other: Warehouse) => other.status === "active" || knows(backend.version, "0.13.0");
    const overlapping = store.state.warehouses.find(
        (other) => other.projectId === projectId && looksAt(other) && profilesOverlap(other.profile, profile),
    );
    await checkStorage(profile, wanted.credential, backend);
    if (overlapping) {
        throw refuse(
            400,
            "CreateWarehouseStorageProfileOverlap",
            `Storage profile overlaps with existing warehouse ${overlapping.name}`,
        );
    }
    const stack = ["Error creating warehouse in catalog"];
    if (!store.project(projectId)) {
        throw refuse(404, "ProjectNotFound", `Project with id '${projectId}' not found`, stack);
    }
    if (store.warehouseByName(projectId, wanted.name)) {
        const message = `A warehouse with the name '${wanted.name}' already exists in project with id '${projectId}'`;
        throw refuse(409, "WarehouseAlreadyExists", message, stack);
    }
    const warehouse: Warehouse = {
        id: uuidv1(),
        name: wanted.name,
        projectId,
        profile,
        credentialType: wanted.credential?.kind,
        deleteProfile: wanted.deleteProfile,
        status: "active",
        protected: false,
        ...wanted.versions,
        managedBy: wanted.managedBy,
        updatedAt: null,
        namespaces: [],
    };
    store.state.warehouses.push(warehouse);
    store.save();
    return { status: 201, json: show(warehouse) };
}

function rename(store: Store, warehouse: Warehouse, request: Request): Answer {
    const name = read(request, (body) => body.string("new-name"));
    checkName(name);
    if (warehouse.status === "inactive") throw notFound(warehouse.id, "Error renaming warehouse in catalog");
    const other = store.warehouseByName(warehouse.projectId, name);
    if (other && other !== warehouse) {
        throw refuse(
            503,
            "CatalogBackendError",
            'Catalog backend error (Unexpected): error returned from database: duplicate key value violates unique constraint "unique_warehouse_name_in_project" at line 664',
        );
    }
    return changed(store, warehouse, { name });
}

async function updateStorage(
    store: Store,
    backend: WarehouseBackend,
    warehouse: Warehouse,
    request: Request,
): Promise<Answer> {
    const wanted = read(request, (body) => ({
        profile: decodeProfile(body, backend.version),
        credential: decodeCredential(body, "storage-credential", backend.version),
    }));
    if (warehouse.status === "inactive") throw notFound(warehouse.id);
    const profile = normaliseProfile(wanted.profile, wanted.credential);
    await checkStorage(profile, wanted.credential, backend);
    return changed(store, warehouse, {
        profile: updateProfile(warehouse.profile, profile, backend.version),
        credentialType: wanted.credential?.kind,
    });
}

async function updateCredential(
    store: Store,
    backend: WarehouseBackend,
    warehouse: Warehouse,
    request: Request,
): Promise<Answer> {
    const credential = read(request, (body) =>
        decodeCredential(body, "new-storage-credential", backend.version),
    );
    if (warehouse.status === "inactive") throw notFound(warehouse.id);
    await checkStorage(warehouse.profile, credential, backend);
    return changed(store, warehouse, { credentialType: credential?.kind });
}

function setStatus(
    store: Store,
    cache: StatusCache,
    warehouse: Warehouse,
    status: Warehouse["status"],
): Answer {
    if (warehouse.status === status) {
        cache.refresh(warehouse.id);
        return empty(200);
    }
    cache.remember(warehouse.id, warehouse.status);
    changed(store, warehouse, { status });
    return empty(200);
}

async function remove(store: Store, backend: WarehouseBackend, request: Request): Promise<Answer> {
    const force = readForce(request.query.get("force"));
    const warehouse = find(store, request);
    backend.statusCache.refresh(warehouse.id);
    checkSpecMutable(warehouse.managedBy, backend.switches.instanceAdmin);
    const stack = ["Error deleting warehouse in catalog"];
    const tasks = unfinishedTasks(store, warehouse.id);
    const queue = tasks[0]?.queue;
    if (queue) {
        const count = tasks.filter((task) => task.queue === queue).length;
        throw refuse(
            409,
            "WarehouseHasUnfinishedTasks",
            "Warehouse has unfinished tasks. Cannot delete warehouse until all tasks are finished.",
            [`Unfinished tasks: ${count} Tasks in queue '${queue}'`, ...stack],
        );
    }
    if (warehouse.protected && !force) {
        const message = "Warehouse is protected and force flag not set. Cannot delete protected warehouse.";
        throw refuse(409, "WarehouseProtected", message, stack);
    }
    if ((await backend.namespacesOf(warehouse)).length > 0) {
        const message = "Warehouse is not empty. Cannot delete a non-empty warehouse.";
        throw refuse(409, "WarehouseNotEmpty", message, stack);
    }
    store.state.warehouses = store.state.warehouses.filter((other) => other !== warehouse);
    store.save();
    return empty(204);
}

function readForce(value: string | null): boolean {
    if (value === null || /^(0|false)$/i.test(value)) return false;
    if (/^(1|true)$/i.test(value)) return true;
    throw refuseText(
        400,
        `Failed to deserialize query string: force: Failed to parse value '${value}' to 'bool'. `,
    );
}

function changed(store: Store, warehouse: Warehouse, change: Partial<Warehouse>): Answer {
    Object.assign(warehouse, change, { updatedAt: new Date().toISOString() });
    store.save();
    return { status: 200, json: show(warehouse) };
}

function read<T>(request: Request, fields: (body: Fields) => T): T {
    return decodeBody(request.headers["content-type"], request.body, fields);
}

/** A warehouse as `GET` and most changes answer it. */
function show(warehouse: Warehouse): Record<string, unknown> {
    return {
        id: warehouse.id,
        "warehouse-id": warehouse.id,
        name: warehouse.name,
        "project-id": warehouse.projectId,
        "storage-profile": warehouse.profile,
        "storage-credential-type": warehouse.credentialType,
        "delete-profile": warehouse.deleteProfile,
        status: warehouse.status,
        protected: warehouse.protected,
        "managed-by": warehouse.managedBy ?? "self-managed",
        "allowed-format-versions": warehouse.allowedFormatVersions,
        "default-format-version": warehouse.defaultFormatVersion,
        "updated-at": warehouse.updatedAt,
    };
}
