import type * as z from "zod";
import type { Context } from "../resource.ts";
import { isAmbiguous, isNotFound, VvpClient } from "./client.ts";
import type { VvpConnection } from "./connection.ts";
import { DeploymentCalls, isActive } from "./deployment-calls.ts";
import { dialect } from "./dialect.ts";
import type { SessionSettings } from "./domain.ts";
import { lastEvents } from "./events.ts";
import { waitFor } from "./waiting.ts";

/** A session cluster as the platform has it. */
export type SessionCluster = z.output<typeof dialect.sessionCluster.answer>;

/** The calls for one session cluster. Starting and stopping return when it is over. */
export class SessionClusterCalls {
    readonly namespace: string;
    readonly #client: VvpClient;
    readonly #deployments: DeploymentCalls;
    readonly #name: string;
    readonly #collection: string;
    readonly #item: string;

    constructor(o: { connection: VvpConnection; name: string }, context: Context) {
        this.#client = new VvpClient(o.connection, context);
        this.#deployments = new DeploymentCalls(o.connection, context);
        this.namespace = this.#client.namespace;
        this.#name = o.name;
        this.#collection = dialect.sessionCluster.collection(this.namespace);
        this.#item = dialect.sessionCluster.item(this.namespace, o.name);
    }

    find(): Promise<SessionCluster | undefined> {
        return this.#client.find(
            { path: this.#item, action: `read session cluster '${this.#name}'` },
            this.#collection,
            dialect.sessionCluster.answer,
        );
    }

    /** @throws when it does not exist */
    async get(): Promise<SessionCluster> {
        const found = await this.find();
        if (found) return found;
        throw new Error(
            `VVP: session cluster '${this.#name}' is not there any more in namespace '${this.namespace}'.\n` +
                "What to do: `pulumi refresh`, then run again",
        );
    }

    create(
        settings: SessionSettings,
        state: "RUNNING" | "STOPPED",
        mark: string | undefined,
    ): Promise<SessionCluster> {
        return this.#client.call(
            {
                method: "POST",
                path: this.#collection,
                json: dialect.sessionCluster.body(this.#name, state, settings, mark),
                action: `create session cluster '${this.#name}'`,
            },
            dialect.sessionCluster.answer,
        );
    }

    /** The cluster must be stopped. */
    async configure(settings: SessionSettings): Promise<SessionCluster> {
        const { flinkConfiguration } = await this.get();
        if (Object.keys(flinkConfiguration).some((key) => !(key in settings.flinkConfiguration))) {
            // A patch adds to a map: to lose an option, the map must go first.
            await this.#patch(dialect.sessionCluster.patchNoOptions(), "clear the options of");
        }
        return this.#patch(dialect.sessionCluster.patchSettings(settings), "change");
    }

    scale(numberOfTaskManagers: number): Promise<SessionCluster> {
        return this.#patch(
            dialect.sessionCluster.patchScale(numberOfTaskManagers),
            `scale to ${numberOfTaskManagers} task managers:`,
        );
    }

    /** Starts it unless it runs. @throws with the platform's reason as soon as it fails */
    async start(deadlineSeconds: number): Promise<SessionCluster> {
        const before = await this.get();
        const { status } = before;
        if (status === "STOPPING") await this.#wait("STOPPED", deadlineSeconds);
        if (status === "STOPPED" || status === "STOPPING" || status === "FAILED") {
            // Leaves the old failure behind, so that one that is seen from here on is a new one.
            if (status === "FAILED") await this.#patch(dialect.sessionCluster.patchState("STOPPED"), "reset");
            await this.#patch(dialect.sessionCluster.patchState("RUNNING"), "start");
        }
        return this.#wait("RUNNING", deadlineSeconds, before.failedAt);
    }

    /**
     * Names of the deployments whose job runs on it. None when this cannot be seen: the platform itself refuses to stop a
     * cluster that is used (VVP 2 documentation).
     */
    async users(): Promise<string[]> {
        try {
            const names: string[] = [];
            for (const { id, name, definition } of await this.#deployments.seen()) {
                const { mode, name: place } = definition.target;
                if (mode !== "SESSION" || place !== this.#name) continue;
                const jobs = await this.#deployments.jobs(id).catch(unlessGone);
                if (jobs.some(isActive)) names.push(name);
            }
            return names;
        } catch {
            return [];
        }
    }

    /** Stops it unless it is stopped. A cluster that failed counts as stopped. */
    async stop(deadlineSeconds: number): Promise<SessionCluster> {
        const found = await this.get();
        if (found.status === "STOPPED" || found.status === "FAILED") return found;
        if (found.status !== "STOPPING") {
            await this.#patch(dialect.sessionCluster.patchState("STOPPED"), "stop");
        }
        return this.#wait("STOPPED", deadlineSeconds);
    }

    delete(): Promise<void> {
        return this.#client.delete(
            { path: this.#item, action: `delete session cluster '${this.#name}'` },
            async () => (await this.find()) === undefined,
        );
    }

    /** A patch says what shall be, so that it can be sent again when its answer got lost. */
    async #patch(json: unknown, verb: string): Promise<SessionCluster> {
        const call = {
            method: "PATCH" as const,
            path: this.#item,
            json,
            action: `${verb} session cluster '${this.#name}'`,
        };
        try {
            return await this.#client.call(call, dialect.sessionCluster.answer);
        } catch (error) {
            if (!isAmbiguous(error)) throw error;
            return this.#client.call(call, dialect.sessionCluster.answer);
        }
    }

    /** @param known when it failed before: the platform may go on showing that for a moment */
    #wait(state: "RUNNING" | "STOPPED", deadlineSeconds: number, known?: string): Promise<SessionCluster> {
        return waitFor({
            what: `session cluster '${this.#name}' to be ${state}`,
            deadlineSeconds,
            probe: () => this.get(),
            done: ({ status }) => status === state || (state === "STOPPED" && status === "FAILED"),
            failed: (found) =>
                found.status === "FAILED" && (known === undefined || found.failedAt !== known)
                    ? `it FAILED: ${this.#reason(found)}`
                    : undefined,
            describe: (found) =>
                `it is still ${found.status}${found.failure ? `: ${this.#reason(found)}` : ""}`,
            tail: async ({ id }) => (id === undefined ? "" : lastEvents(this.#client, { clusterId: id })),
        });
    }

    #reason(found: SessionCluster): string {
        return this.#client.clean(found.failure ?? "the platform gives no reason");
    }
}

/** A deployment that was deleted since the list was read. */
function unlessGone(error: unknown): never[] {
    if (isNotFound(error)) return [];
    throw error;
}
