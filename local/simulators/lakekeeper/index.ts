import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Faults } from "../shared/index.ts";
import { refuse, refuseText } from "./answers.ts";
import { CatalogProxy } from "./catalog.ts";
import { externalUrl } from "./external-url.ts";
import { type Exchange, type LoggedRequest, startServer } from "./http.ts";
import { namespaceRoutes } from "./namespaces.ts";
import { asVersion } from "./older.ts";
import { permissionRoutes } from "./permissions.ts";
import type { StorageCheck } from "./probe.ts";
import { projectRoutes } from "./projects.ts";
import { roleRoutes } from "./roles.ts";
import { type ServerKind, serverRoutes } from "./server-info.ts";
import { Store } from "./state.ts";
import { StatusCache } from "./status-cache.ts";
import { gate, type Switches } from "./switches.ts";
import { taskRoutes } from "./task-routes.ts";
import { userRoutes } from "./users.ts";
import { validationRoutes } from "./validation.ts";
import type { Version } from "./version.ts";
import { type WarehouseBackend, warehouseRoutes } from "./warehouses.ts";

export interface LakekeeperSettings {
    /** Port on loopback; 0 takes a free one. */
    port: number;
    /** Where the state is kept, as one JSON file of mode 0600; without it nothing outlives the process. */
    stateFile?: string;
    /**
     * The only token that is accepted, as `Authorization: Bearer …`. Null: authentication is off, as on a real server
     * without any provider of it, and everybody may do everything.
     */
    token: string | null;
    /** Accepts other tokens beside it; a text is the id of the user behind the token. */
    accepts?: (token: string) => boolean | string;
    /** Base URL of the Iceberg REST catalog; it may start later, until then catalog calls answer 503. */
    backendUrl?: string;
    /**
     * Switches the check of the storage on: each create and update writes, reads, deletes and lists with the key.
     * `endpoint` stands for AWS in profiles without an endpoint.
     */
    s3?: StorageCheck;
    /** Default 0.13.3. Older ones drop what they do not know; 0.14.0 stands for a build of the main branch. */
    version?: Version;
    /** Default `allow-all`. Nothing is checked with `openfga` either: only its assignments are kept. */
    authzBackend?: ServerKind["authzBackend"];
    /** Whether the server may use what its pod runs as. Default false. */
    systemIdentities?: boolean;
    /** Whether the caller is an instance admin. Default false. */
    instanceAdmin?: boolean;
    /** Whether calls without a project are about the default one. Default true. */
    defaultProject?: boolean;
    /** The address that the catalog tells its clients, whatever the request says (`BASE_URI`). */
    baseUri?: string;
    /** How long a request may take before it ends with 408. Default 30. */
    requestSeconds?: number;
    /** Told of each call with its answer. */
    onExchange?: (exchange: Exchange) => void;
    /** Told of each request after its answer. */
    onRequest?: (request: LoggedRequest) => void;
}

export interface LakekeeperSimulator {
    /** Base URL, without a slash at its end. */
    url: string;
    /** All requests so far; a lost answer has status 0, a request for the Iceberg catalog the operation `catalog`. */
    requests: readonly LoggedRequest[];
    faults: Faults;
    /** What its operators can change while it runs. */
    switches: Switches;
    /** Takes a project out of the caller's sight, or back into it. */
    hideProject: (id: string, hidden: boolean) => void;
    close: () => Promise<void>;
}

/**
 * Starts a simulated Lakekeeper: the management API, and the catalog API in front of a real Iceberg catalog.
 * @throws {Error} when the port is taken or the state file cannot be read
 */
export async function startLakekeeperSimulator(settings: LakekeeperSettings): Promise<LakekeeperSimulator> {
    const store = new Store(settings.stateFile, {
        defaultProject: settings.defaultProject,
        openFga: settings.authzBackend === "openfga",
    });
    const statusCache = new StatusCache();
    const switches: Switches = { instanceAdmin: settings.instanceAdmin ?? false };
    const kind: ServerKind = {
        version: settings.version ?? "0.13.3",
        authzBackend: settings.authzBackend ?? "allow-all",
        systemIdentities: settings.systemIdentities ?? false,
        switches,
    };
    const catalog = new CatalogProxy(store, statusCache, settings.backendUrl, settings.baseUri);
    const backend: WarehouseBackend = {
        ...kind,
        storage: settings.s3,
        requestSeconds: settings.requestSeconds ?? 30,
        statusCache,
        namespacesOf: (warehouse) => catalog.namespacesOf(warehouse),
    };
    const server = await startServer({
        port: settings.port,
        routes: asVersion(kind.version, [
            ...serverRoutes(store, kind),
            ...projectRoutes(store),
            ...warehouseRoutes(store, backend),
            ...namespaceRoutes(store),
            ...taskRoutes(store),
            ...userRoutes(store),
            ...roleRoutes(store),
            ...(kind.authzBackend === "openfga" ? permissionRoutes(store) : []),
            ...(kind.version === "0.14.0" ? validationRoutes(store, backend) : []),
            ...catalog.routes(),
        ]),
        authorize: (path, headers) => authorize(settings, path, headers),
        gate: (method, path, headers) => {
            if (path !== "/health") externalUrl(headers, settings.baseUri);
            const project = headers["x-project-id"] ?? headers["x-project-ident"];
            gate(switches, store, { method, path, project: project ? String(project) : undefined });
        },
        onExchange: settings.onExchange,
        onRequest: settings.onRequest,
        fallback: (request, response, url) => catalog.take(request, response, url),
    });
    return {
        ...server,
        switches,
        hideProject: (id, hidden) => {
            if (hidden) store.hiddenProjects.add(id);
            else store.hiddenProjects.delete(id);
        },
    };
}

/** The one identity behind the token. */
const serviceAccount = "kubernetes~simulated-service-account";

/** Everything but the health check needs the token, unknown paths included. @returns the id of the caller */
function authorize(
    { token, accepts }: Pick<LakekeeperSettings, "token" | "accepts">,
    path: string,
    headers: IncomingHttpHeaders,
): string | undefined {
    if (path === "/health" || token === null) return undefined;
    const header = headers.authorization;
    if (header === undefined) {
        throw refuse(401, "MissingAuthorizationHeader", "Missing Authorization Header");
    }
    const given = /^Bearer (.+)$/i.exec(header)?.[1];
    if (given === undefined) throw refuseText(400, "invalid HTTP header (authorization)");
    const accepted = equal(given, token) || accepts?.(given);
    if (!accepted) throw refuse(401, "AuthenticationFailed", "Authentication failed");
    return typeof accepted === "string" ? accepted : serviceAccount;
}

function equal(a: string, b: string): boolean {
    const [one, other] = [Buffer.from(a), Buffer.from(b)];
    return one.length === other.length && timingSafeEqual(one, other);
}
