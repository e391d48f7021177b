import { beforeEach, describe, expect, it } from "vitest";
import type { LakekeeperSettings } from "../../../local/simulators/lakekeeper/index.ts";
import { closeLater, type Fixture, startFixture, token } from "../lakekeeper/fixture.ts";
import { type CatalogStub, startCatalogStub } from "./stub-catalog.ts";

/** What the real server does beside the resources themselves (0.13.3 observed, where nothing else is said). */
const management = "/management/v1";
const profile = { type: "s3", bucket: "lake", "key-prefix": "w", region: "us-east-1", "sts-enabled": false };

interface Reply {
    status: number;
    headers: Headers;
    json: Record<string, unknown> & { error?: { type: string; message: string; stack?: string[] } };
}

let fixture: Fixture;
let catalog: CatalogStub;
let id: string;

async function call(method: string, path: string, json?: unknown, headers = {}): Promise<Reply> {
    const answer = await fetch(fixture.simulator.url + path, {
        method,
        headers: {
            authorization: `Bearer ${token}`,
            ...(json === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
        },
        body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, json: text === "" ? {} : JSON.parse(text) };
}

async function start(settings: Partial<LakekeeperSettings> = {}, warehouse: object = {}): Promise<void> {
    catalog = await startCatalogStub();
    closeLater(catalog.close);
    fixture = await startFixture({ backendUrl: catalog.url, ...settings });
    const made = await call("POST", `${management}/warehouse`, {
        "warehouse-name": "w",
        "storage-profile": profile,
        ...warehouse,
    });
    id = String(made.json["warehouse-id"]);
}

/** A namespace `ns` with these tables. */
async function fill(...tables: string[]): Promise<void> {
    await call("POST", `/catalog/v1/${id}/namespaces`, { namespace: ["ns"] });
    catalog.namespaces.get("ns")!.push(...tables);
}

const path = (below = "") => `${management}/warehouse/${id}${below}`;
const inCatalog = (below: string) => `/catalog/v1/${id}/namespaces/ns${below}`;

describe("maintenance", () => {
    beforeEach(() => start());
    it("refuses every change with 503 and Retry-After, lets reads through, and works on no queue", async () => {
        fixture.simulator.switches.maintenanceSeconds = 60;
        for (const [method, at] of [
            ["POST", `${management}/warehouse`],
            ["POST", `${management}/bootstrap`],
            ["DELETE", path()],
            ["POST", `${management}/nope`],
            ["POST", path("/task/list")],
            ["POST", `/catalog/v1/${id}/namespaces`],
        ] as const) {
            const { status, headers, json } = await call(method, at, method === "POST" ? {} : undefined);
            expect([status, headers.get("retry-after")], at).toEqual([503, "60"]);
            expect(Object.keys(json.error!)).toEqual(["message", "type", "code"]);
            expect(json.error!.type).toBe("MaintenanceModeError");
        }
        expect((await call("GET", path())).status).toBe(200);
        expect((await call("GET", `${management}/info`)).json["queues"]).toEqual([]);
        expect((await call("GET", "/health")).json["maintenance_mode"]).toBe("read-only");
        delete fixture.simulator.switches.maintenanceSeconds;
        expect((await call("POST", path("/protection"), { protected: true })).status).toBe(200);
    });
});

describe("soft deletion", () => {
    const soft = (seconds: number) => ({ "delete-profile": { type: "soft", "expiration-seconds": seconds } });

    it("keeps a dropped table, which blocks its namespace and its warehouse, until it is forced", async () => {
        await start({}, soft(3600));
        await fill("t", "other");
        expect((await call("DELETE", inCatalog("/tables/t"))).status).toBe(204);
        expect((await call("GET", inCatalog("/tables"))).json).toEqual({
            identifiers: [{ namespace: ["ns"], name: "other" }],
        });
        expect((await call("GET", path("/deleted-tabulars"))).json["tabulars"]).toMatchObject([
            { name: "t", namespace: ["ns"], typ: "table", "warehouse-id": id },
        ]);
        const tasks = async () => (await call("POST", path("/task/list"), {})).json["tasks"];
        const task = { "queue-name": "tabular_expiration", "entity-name": ["ns", "t"] };
        expect(await tasks()).toMatchObject([{ ...task, status: "SCHEDULED" }]);
        for (const query of ["", "?force=true"]) {
            const { error } = (await call("DELETE", path(query))).json;
            expect(error!.type).toBe("WarehouseHasUnfinishedTasks");
            expect(error!.stack![0]).toBe("Unfinished tasks: 1 Tasks in queue 'tabular_expiration'");
        }
        const refused = (await call("DELETE", inCatalog(""))).json.error!;
        expect(refused.type).toBe("NamespaceNotEmptyException");
        expect(refused.stack![0]).toBe(
            "Contains 1 tables/views/generic tables, 1 soft-deleted tables/views/generic tables and 0 child namespaces.",
        );
        const recursive = await call("DELETE", inCatalog("?recursive=true"));
        expect([recursive.status, recursive.json.error!.type]).toEqual([400, "NamespaceDeleteNotAllowed"]);
        // Another delete profile does not free what waits.
        await call("POST", path("/delete-profile"), { "delete-profile": { type: "hard" } });
        expect((await call("DELETE", path())).json.error!.type).toBe("WarehouseHasUnfinishedTasks");
        expect((await call("DELETE", inCatalog("?recursive=true&force=true"))).status).toBe(204);
        expect(await tasks()).toMatchObject([{ ...task, status: "CANCELLED" }]);
        expect((await call("DELETE", path())).status).toBe(204);
    });

    it("gives a table back", async () => {
        await start({}, soft(3600));
        await fill("t");
        await call("DELETE", inCatalog("/tables/t"));
        const { tabulars } = (await call("GET", path("/deleted-tabulars"))).json as {
            tabulars: { id: string }[];
        };
        const targets = [{ type: "table", id: tabulars[0]!.id }];
        expect((await call("POST", path("/deleted-tabulars/undrop"), { targets })).status).toBe(204);
        expect((await call("GET", inCatalog("/tables"))).json["identifiers"]).toHaveLength(1);
        expect((await call("GET", path("/deleted-tabulars"))).json).toEqual({
            tabulars: [],
            "next-page-token": null,
        });
    });

    it("ends when the table expires: first the task goes, then the namespace is empty", async () => {
        await start({}, soft(0));
        await fill("t");
        await call("DELETE", inCatalog("/tables/t"));
        expect((await call("DELETE", path())).json.error!.type).toBe("WarehouseNotEmpty");
        expect((await call("DELETE", inCatalog(""))).status).toBe(204);
        expect((await call("DELETE", path())).status).toBe(204);
        expect([...catalog.namespaces.values()].flat()).toEqual([]);
    });

    it("is not what a warehouse with hard deletion does", async () => {
        await start();
        await fill("t");
        await call("DELETE", inCatalog("/tables/t"));
        expect((await call("GET", path("/deleted-tabulars"))).json["tabulars"]).toEqual([]);
        expect(catalog.namespaces.get("ns")).toEqual([]);
    });
});

describe("a namespace with others inside", () => {
    it("is dropped only with recursive, and then with all of them", async () => {
        await start();
        await fill();
        await call("POST", `/catalog/v1/${id}/namespaces`, { namespace: ["ns", "sub"] });
        catalog.namespaces.get("ns\u001fsub")!.push("t");
        expect((await call("DELETE", inCatalog(""))).json.error!.stack![0]).toMatch(/and 1 child namespaces/);
        expect((await call("DELETE", inCatalog("?recursive=true"))).status).toBe(204);
        expect([...catalog.namespaces.keys()]).toEqual([]);
    });
});

describe("the queue of a project", () => {
    const config = `${management}/project/task-queue/task_log_cleanup/config`;
    it("keeps its settings, and refuses what is no duration", async () => {
        await start();
        expect((await call("GET", config)).json).toEqual({
            "queue-config": { "queue-name": "task_log_cleanup" },
            "max-seconds-since-last-heartbeat": null,
        });
        const periods = { "cleanup-period": "P1D", "retention-period": "P90D" };
        expect((await call("POST", config, { "queue-config": periods })).status).toBe(204);
        expect((await call("GET", config)).json["queue-config"]).toEqual({
            ...periods,
            "queue-name": "task_log_cleanup",
        });
        const wrong = await call("POST", config, { "queue-config": { "cleanup-period": "1d" } });
        expect([wrong.status, wrong.json.error]).toMatchObject([
            400,
            {
                type: "InvalidQueueConfig",
                message:
                    "Failed to deserialize queue config for queue-name 'task_log_cleanup': 'Failed to parse duration: 1d'",
            },
        ]);
    });
});

describe("statistics", () => {
    it("are there, also of a deactivated warehouse", async () => {
        await start();
        await call("POST", path("/deactivate"));
        expect((await call("GET", path("/statistics"))).json).toMatchObject({
            "warehouse-ident": id,
            stats: [{ "number-of-tables": 0, "number-of-views": 0 }],
        });
    });
});

describe("a warehouse that an instance admin has taken", () => {
    it("is changed and deleted by nobody else", async () => {
        await start({ instanceAdmin: true }, { "managed-by": "instance-admin" });
        fixture.simulator.switches.instanceAdmin = false;
        const changes: [string, object?][] = [
            ["rename", { "new-name": "x" }],
            ["storage", { "storage-profile": profile }],
            ["storage-credential", {}],
            ["protection", { protected: true }],
            ["delete-profile", { "delete-profile": { type: "hard" } }],
            ["deactivate"],
            ["activate"],
            ["format-version-policy", { "allowed-format-versions": [2] }],
        ];
        for (const [verb, json] of changes) {
            const { status, json: said } = await call("POST", path(`/${verb}`), json);
            expect([status, said.error?.type], verb).toEqual([403, "WarehouseManaged"]);
            expect(said.error!.stack![0]).toBe("Error verifying warehouse spec is mutable");
        }
        expect((await call("DELETE", path("?force=true"))).json.error!.type).toBe("WarehouseManaged");
        const own = await call("POST", path("/managed-by"), { "managed-by": "self-managed" });
        expect(own.json.error!.type).toBe("InstanceAdminRequired");
        fixture.simulator.switches.instanceAdmin = true;
        expect((await call("POST", path("/managed-by"), { "managed-by": "self-managed" })).status).toBe(200);
        expect((await call("DELETE", path())).status).toBe(204);
    });
});

describe("a project that the caller may no longer see", () => {
    it("answers 403 itself, and 404 for what is in it (after the API's description)", async () => {
        await start();
        const { json: role } = await call("POST", `${management}/role`, { name: "r" });
        const project = "00000000-0000-0000-0000-000000000000";
        fixture.simulator.hideProject(project, true);
        expect((await call("GET", `${management}/project`)).json.error!.type).toBe("ProjectActionForbidden");
        expect((await call("GET", `${management}/warehouse`)).status).toBe(403);
        expect((await call("GET", path())).json.error!.type).toBe("NoSuchWarehouseException");
        expect((await call("GET", `/catalog/v1/${id}/namespaces`)).status).toBe(404);
        const gone = await call("GET", `${management}/role/${role["id"]}`);
        expect(gone.json.error!.type).toBe("RoleNotFoundInProject");
        fixture.simulator.hideProject(project, false);
        expect((await call("GET", path())).status).toBe(200);
    });
});

describe("a project with roles", () => {
    it("is not deleted", async () => {
        await start();
        await call("POST", `${management}/project`, { "project-id": "p", "project-name": "P" });
        const header = { "x-project-id": "p" };
        await call("POST", `${management}/role`, { name: "r" }, header);
        const refused = await call("DELETE", `${management}/project`, undefined, header);
        expect(refused.json.error!.type).toBe("ProjectNotEmpty");
    });
});
