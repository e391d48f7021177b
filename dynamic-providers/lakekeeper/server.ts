import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ApiError, hasStatus } from "../http/api-error.ts";
import type { ResourceDefinition } from "../resource.ts";
import { hasType, isAmbiguous, isNotFound, LakekeeperClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { identify, strangerAt } from "./identity.ts";
import { type Info, readInfo } from "./server-info.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    /** Bootstrapping a server means accepting Lakekeeper's terms of use. */
    acceptTermsOfUse: z.literal(true, {
        error: "must be true: the server cannot be bootstrapped without accepting its terms of use",
    }),
    /** False takes a server that others bootstrap, and refuses one that nobody has bootstrapped. */
    bootstrap: z.boolean().default(true),
    /** With OpenFGA: may do everything, also read data. Default false: may manage, but not read. */
    isOperator: z.boolean().default(false),
    /** Name of the first user. Default: taken from the token. */
    userName: z.string().min(1).optional(),
    userType: z.enum(["human", "application"]).default("application"),
    /** How long to wait for a server that was just installed, in seconds. Default 120. */
    waitSeconds: z.number().nonnegative().default(120),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    version: string;
    /** Absent when the server has none. */
    defaultProjectId?: string;
    /** `allow-all`, `openfga`, … */
    authzBackend: string;
    /** True when somebody else had bootstrapped the server before. */
    adopted: boolean;
    /** What Iceberg clients take as `uri`. */
    catalogUri: string;
}

/**
 * A Lakekeeper server that is bootstrapped. It cannot be undone by the API: deleting this resource leaves the server as it is.
 * What says how to bootstrap is used once; changing it later does nothing.
 */
export const server: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper server",
    inputs,
    fields: {
        connection: connectionEffect,
        acceptTermsOfUse: "ignore",
        bootstrap: "ignore",
        isOperator: "ignore",
        userName: "ignore",
        userType: "ignore",
        waitSeconds: "ignore",
    },
    secretInputs: ["connection"],

    async review({ old, new: wanted, known }, context) {
        const moved = old?.connection.url !== wanted.connection.url;
        if (!known("connection") || !moved) return {};
        const stranger = await strangerAt(new LakekeeperClient(wanted.connection, context));
        return stranger ? { faults: [stranger] } : {};
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context, wanted.waitSeconds);
        const before = await waitForServer(client, wanted.waitSeconds);
        if (!wanted.bootstrap && !before.bootstrapped) {
            throw new Error(
                `Lakekeeper: the server at ${client.url} is not bootstrapped, and bootstrap is false.\n` +
                    "What to do: have it bootstrapped by those who run it, or leave bootstrap out",
            );
        }
        const adopted = before.bootstrapped || !(await bootstrap(client, wanted));
        const info = await readInfo(client);
        await ensureDefaultProject(client, info);
        return { id: info["server-id"], outputs: toOutputs(client, info, adopted) };
    },

    async read(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const info = await readInfo(client);
        // Another server id means another database behind the address, which knows nothing of this stack.
        if (!info.bootstrapped || info["server-id"] !== id) return undefined;
        return { outputs: toOutputs(client, info, state.adopted) };
    },

    async update(id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context, wanted.waitSeconds);
        const info = await waitForServer(client, wanted.waitSeconds);
        if (info["server-id"] !== id) {
            throw new Error(
                `Lakekeeper: the server at ${client.url} is another one (id ${info["server-id"]}) than before (id ${id}).\n` +
                    "What to do: correct connection.url, or run `pulumi refresh` so that this server is bootstrapped anew",
            );
        }
        return toOutputs(client, info, state.adopted);
    },

    async delete() {
        // There is no call for it; see the class comment.
    },
};

/** Kubernetes may need some seconds until the server can check tokens; a token that is wrong stays wrong. */
const authenticationSeconds = 30;

/** Waits until a server that may still be starting answers. */
async function waitForServer(client: LakekeeperClient, seconds: number): Promise<Info> {
    const started = Date.now();
    for (;;) {
        try {
            return await identify(client);
        } catch (error) {
            const limit = patience(error, seconds);
            if (Date.now() - started >= limit * 1000) throw error;
            await sleep(Math.min(2000, limit * 1000));
        }
    }
}

/** How many seconds an error may last before it is taken for final. */
function patience(error: unknown, seconds: number): number {
    if (!(error instanceof ApiError)) return 0;
    // By Kubernetes, on the way.
    if (error.status === undefined && hasType(error, "Forbidden", "Unauthorized")) return 0;
    if (error.status === 401) return Math.min(seconds, authenticationSeconds);
    const starting =
        error.status === undefined || error.status >= 500 || (error.status === 404 && !error.type);
    return starting ? seconds : 0;
}

/** True when it was this call that bootstrapped the server. */
async function bootstrap(client: LakekeeperClient, wanted: Inputs): Promise<boolean> {
    try {
        await client.send({
            method: "POST",
            path: "/management/v1/bootstrap",
            action: "bootstrap the server",
            json: {
                "accept-terms-of-use": wanted.acceptTermsOfUse,
                "is-operator": wanted.isOperator,
                "user-name": wanted.userName,
                "user-type": wanted.userType,
            },
        });
        return true;
    } catch (error) {
        if (hasType(error, "CatalogAlreadyBootstrapped", "ConcurrentBootstrap")) return false;
        if (isAmbiguous(error) && (await readInfo(client)).bootstrapped) return true;
        throw error;
    }
}

/** The server makes its default project after the bootstrap, in a second transaction which may have failed. */
async function ensureDefaultProject(client: LakekeeperClient, info: Info): Promise<void> {
    const id = info["default-project-id"];
    if (!id) return;
    const action = "read the default project";
    try {
        await client.send({ method: "GET", path: "/management/v1/project", action, project: id });
        return;
    } catch (error) {
        // A caller without rights on the project still sees that there is one.
        if (hasStatus(error, 403)) return;
        if (!isNotFound(error)) throw error;
    }
    try {
        await client.send({
            method: "POST",
            path: "/management/v1/project",
            action: "create the default project",
            json: { "project-id": id, "project-name": "Default Project" },
        });
    } catch (error) {
        if (!hasType(error, "ProjectIdAlreadyExists") && !isAmbiguous(error)) throw error;
        await client.send({ method: "GET", path: "/management/v1/project", action, project: id });
    }
}

function toOutputs(client: LakekeeperClient, info: Info, adopted: boolean): Outputs {
    return {
        version: info.version,
        defaultProjectId: info["default-project-id"] ?? undefined,
        authzBackend: info["authz-backend"],
        adopted,
        catalogUri: `${client.url}/catalog`,
    };
}
