import type * as z from "zod";
import type { Context } from "../resource.ts";
import { isAmbiguous, VvpClient } from "./client.ts";
import type { VvpConnection } from "./connection.ts";
import { DeploymentCalls } from "./deployment-calls.ts";
import { dialect } from "./dialect.ts";
import type { Deployment, DraftSettings } from "./domain.ts";
import { oncePerRun } from "./once.ts";

/** A draft as the platform has it; `raw` is its answer, which goes back to be deployed. */
export type Draft = z.output<typeof dialect.draft.answer>;

/** The calls for SQL drafts. */
export class DraftCalls {
    readonly namespace: string;
    readonly #client: VvpClient;
    readonly #deployments: DeploymentCalls;
    readonly #context: Context;

    constructor(connection: VvpConnection, context: Context) {
        this.#context = context;
        this.#client = new VvpClient(connection, context);
        this.#deployments = new DeploymentCalls(connection, context);
        this.namespace = this.#client.namespace;
    }

    /** @throws with the place of each fault when the script is not valid */
    async validate(settings: DraftSettings): Promise<void> {
        const call = {
            method: "POST" as const,
            path: dialect.draft.validate(this.namespace),
            json: dialect.draft.validateBody(settings),
            action: `validate the script of draft '${settings.name}'`,
        };
        const { valid, result, errors } = await this.#client.call(call, dialect.draft.validateAnswer);
        if (!valid)
            throw this.#client.refusal(call, result, errors.join("; ") || "the platform gives no reason");
    }

    /** Id of the folder that new drafts lie in; asked for once a run. */
    rootFolder(): Promise<string> {
        const path = dialect.draft.rootFolder(this.namespace);
        return oncePerRun(this.#context, this.#client.key("root", path), () =>
            this.#client.call(
                { method: "GET", path, action: "find the root folder of the drafts" },
                dialect.draft.rootFolderAnswer,
            ),
        );
    }

    /** The draft of exactly that name. */
    async findByName(name: string): Promise<Draft | undefined> {
        const hits = await this.#client.call(
            {
                method: "GET",
                path: dialect.draft.search(this.namespace),
                query: dialect.draft.searchQuery(name),
                action: `look for draft '${name}'`,
            },
            dialect.draft.searchAnswer,
        );
        const hit = hits.find((candidate) => candidate.name === name);
        return hit && this.find(hit.id);
    }

    find(id: string): Promise<Draft | undefined> {
        return this.#client.find(
            { path: dialect.draft.item(this.namespace, id), action: `read draft ${id}` },
            // Drafts cannot be listed.
            dialect.draft.rootFolder(this.namespace),
            dialect.draft.answer,
        );
    }

    create(parentId: string, settings: DraftSettings, mark: string | undefined): Promise<Draft> {
        return this.#client.call(
            {
                method: "POST",
                path: dialect.draft.collection(this.namespace),
                json: dialect.draft.body(parentId, settings, mark),
                action: `create draft '${settings.name}'`,
            },
            dialect.draft.answer,
        );
    }

    delete(id: string): Promise<void> {
        return this.#client.delete(
            { path: dialect.draft.item(this.namespace, id), action: `delete draft ${id}` },
            async () => (await this.find(id)) === undefined,
        );
    }

    /** The deployment of that name, when it was made of this draft. */
    async deploymentOf({ id }: Draft, name: string): Promise<Deployment | undefined> {
        const found = await this.#deployments.findByName(name);
        return found && dialect.draft.deployedFrom(found.raw) === id ? found : undefined;
    }

    /** Makes a deployment of the draft and returns its id, or that of one which was made of it before. */
    async deploy(draft: Draft, settings: DraftSettings & { validate: boolean }): Promise<string> {
        const before = await this.#deployments.findByName(settings.name);
        if (before) {
            if (dialect.draft.deployedFrom(before.raw) === draft.id) return before.id;
            throw new Error(
                `VVP: there is a deployment '${settings.name}' (${before.id}) already, which was not made of this draft.\n` +
                    "What to do: delete it, or choose another name for the draft",
            );
        }
        const call = {
            method: "POST" as const,
            path: dialect.draft.deploy(this.namespace),
            json: dialect.draft.deployBody(draft.raw, settings.deploymentTargetId, !settings.validate),
            action: `deploy draft '${settings.name}'`,
        };
        this.#deployments.made(settings.name);
        try {
            const { success, deploymentId, reason } = await this.#client.call(
                call,
                dialect.draft.deployAnswer,
            );
            if (!success)
                throw this.#client.refusal(call, "refused", reason ?? "the platform gives no reason");
            if (deploymentId !== undefined) return deploymentId;
        } catch (error) {
            if (!isAmbiguous(error)) throw error;
        }
        const made = await this.#deployments.findByName(settings.name, true);
        if (made) return made.id;
        throw this.#client.refusal(call, "no deployment", "no deployment of that name came of it");
    }
}
