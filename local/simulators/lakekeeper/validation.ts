import type { Answer } from "./answers.ts";
import { Refusal } from "./answers.ts";
import { decodeCredential } from "./credential.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { checkStorage } from "./probe.ts";
import { decodeProfile, normaliseProfile, profilesOverlap, updateProfile } from "./profile.ts";
import { selectProject } from "./projects.ts";
import type { Store, Warehouse } from "./state.ts";
import {
    checkFormatVersions,
    checkManager,
    checkName,
    checkSpecMutable,
    decodeNewWarehouse,
} from "./warehouse-body.ts";
import { notFound } from "./warehouse-not-found.ts";
import type { WarehouseBackend } from "./warehouses.ts";

/** The trial of a new warehouse, which servers from 0.14 on have: all checks of a create, and nothing made. */
export function validationRoutes(store: Store, backend: WarehouseBackend): Route[] {
    return [
        {
            method: "POST",
            path: "/management/v1/warehouse-creation-validation",
            operationId: "validate_warehouse",
            handle: (request) => validate(store, backend, request),
        },
        {
            method: "POST",
            path: "/management/v1/warehouse/{warehouse_id}/storage/validate-profile",
            operationId: "validate_storage_profile",
            handle: (request) => validateProfile(find(store, request), backend, request),
        },
        {
            method: "POST",
            path: "/management/v1/warehouse/{warehouse_id}/storage/validate-credential",
            operationId: "validate_storage_credential",
            handle: async (request) => {
                const { profile } = find(store, request);
                const credential = decodeBody(request.headers["content-type"], request.body, (body) =>
                    decodeCredential(body, "new-storage-credential", backend.version),
                );
                return report([["lakekeeper-read-write", () => checkStorage(profile, credential, backend)]]);
            },
        },
    ];
}

function find(store: Store, request: Request): Warehouse {
    const id = request.params["warehouse_id"] ?? "";
    const warehouse = store.warehouse(id);
    if (!warehouse || warehouse.status === "inactive") throw notFound(id);
    return warehouse;
}

function validateProfile(warehouse: Warehouse, backend: WarehouseBackend, request: Request): Promise<Answer> {
    const { profile, credential } = decodeBody(request.headers["content-type"], request.body, (body) => ({
        profile: decodeProfile(body, backend.version),
        credential: decodeCredential(body, "storage-credential", backend.version),
    }));
    return report([
        ["profile-well-formed", () => normaliseProfile(profile, credential)],
        [
            "profile-compatible",
            () => updateProfile(warehouse.profile, normaliseProfile(profile, credential), backend.version),
        ],
        ["spec-mutable", () => checkSpecMutable(warehouse.managedBy, backend.switches.instanceAdmin)],
        ["lakekeeper-read-write", () => checkStorage(profile, credential, backend)],
    ]);
}

async function validate(store: Store, backend: WarehouseBackend, request: Request): Promise<Answer> {
    const wanted = decodeBody(request.headers["content-type"], request.body, (body) =>
        decodeNewWarehouse(body, backend.version),
    );
    const project = wanted.projectId ?? selectProject(store, request.headers);
    const siblings = store.state.warehouses.filter(({ projectId }) => projectId === project);
    const checks: [string, () => unknown][] = [
        ["profile-well-formed", () => normaliseProfile(wanted.profile, wanted.credential)],
        ["warehouse-name-valid", () => checkTaken(store, project, wanted.name)],
        [
            "location-exclusive",
            () => {
                const profile = normaliseProfile(wanted.profile, wanted.credential);
                const other = siblings.find((sibling) => profilesOverlap(sibling.profile, profile));
                if (other) {
                    throw failure(
                        "CreateWarehouseStorageProfileOverlap",
                        `Storage profile overlaps with existing warehouse ${other.name}`,
                    );
                }
            },
        ],
        ["format-version-policy-consistent", () => checkFormatVersions(wanted.versions)],
        ["managed-by-allowed", () => checkManager(wanted.managedBy, backend.switches.instanceAdmin)],
        ["lakekeeper-read-write", () => checkStorage(wanted.profile, wanted.credential, backend)],
    ];
    return report(checks);
}

/** Each check with its outcome. */
async function report(checks: [string, () => unknown][]): Promise<Answer> {
    const results: object[] = [];
    for (const [name, check] of checks) results.push(await run(name, check));
    const valid = results.every((result) => (result as { status: string }).status === "passed");
    return { status: 200, json: { valid, checks: results } };
}

async function run(name: string, check: () => unknown): Promise<object> {
    try {
        await check();
        return { name, status: "passed", "duration-ms": 0 };
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { error: reason } = error.answer.json as { error: object };
        return { name, status: "failed", "duration-ms": 0, error: reason };
    }
}

function checkTaken(store: Store, project: string, name: string): void {
    checkName(name);
    if (store.warehouseByName(project, name)) {
        throw failure("WarehouseNameAlreadyTaken", `The warehouse name '${name}' is already taken`);
    }
}

function failure(type: string, message: string): Refusal {
    return new Refusal({ status: 400, json: { error: { message, type, code: 400, stack: [] } } });
}
