import type { Context } from "../resource.ts";
import { VvpClient } from "./client.ts";
import type { VvpConnection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import type { Definition, Deployment, Job, JobRestore, JobStop } from "./domain.ts";
import { lastEvents } from "./events.ts";
import { lastLogLines } from "./job-log.ts";
import { starts } from "./job-turns.ts";
import { isOutdated, oncePerRun, outdate, RunList } from "./once.ts";
import { settled } from "./settle.ts";

/** An entry of the list of deployments. */
interface Listed {
    id: string;
    name: string;
    /** Undefined for one of a kind that is not known here. */
    deployment: Deployment | undefined;
}

class MissingArtifact extends Error {}

/** The calls for deployments and their jobs. None of them waits for a job. */
export class DeploymentCalls {
    readonly client: VvpClient;
    readonly #ns: string;
    readonly #context: Context;
    readonly #list: RunList<Listed>;

    constructor(connection: VvpConnection, context: Context) {
        this.client = new VvpClient(connection, context);
        this.#ns = this.client.namespace;
        this.#context = context;
        this.#list = new RunList(context, this.#listKey(), () => this.#read("list the deployments", {}));
    }

    /**
     * The deployment of exactly that name. The platform gives a name more than once, so that a name is looked for in
     * the list, which is read once a run and not once for each deployment.
     * @param fresh reads anew those of that name, since one may just have been made; so it is with a name that another kind
     * of resource made or deleted in this run
     * @throws when there are several, with their ids
     */
    async findByName(name: string, fresh = false): Promise<Deployment | undefined> {
        const all =
            fresh || isOutdated(this.#context, this.#nameKey(name))
                ? await this.#read(`look for deployment '${name}'`, dialect.deployment.nameQuery(name))
                : await this.#list.all();
        const found = all.filter((entry) => entry.name === name);
        if (found.length > 1) {
            throw new Error(
                `VVP: namespace '${this.#ns}' has ${found.length} deployments named '${name}': ${found.map(({ id }) => id).join(", ")}.\n` +
                    "What to do: delete those that are not needed, in the platform's console",
            );
        }
        const [entry] = found;
        // Asked for alone, it says what is wrong with it.
        return entry && (entry.deployment ?? this.find(entry.id));
    }

    /** All of exactly that name as they are now; those of a kind that is not known here are left out. */
    async namesakes(name: string): Promise<Deployment[]> {
        const action = `look for others named '${name}'`;
        const all = await this.#read(action, dialect.deployment.nameQuery(name));
        return all.flatMap(({ deployment }) => (deployment?.name === name ? [deployment] : []));
    }

    /**
     * Whether a file is in the artifact store; read once a run. True also for what is no artifact of this namespace, and
     * where the platform does not let it be seen.
     */
    async hasArtifact(uri: string): Promise<boolean> {
        const [, namespace, name = ""] =
            /^s3i:\/\/.*\/artifacts\/namespaces\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
        if (namespace !== this.#ns) return true;
        const { metadata, nameQuery, collection, answer } = dialect.artifact;
        const call = {
            path: metadata(this.#ns),
            query: nameQuery(name),
            action: `read artifact '${name}'`,
        };
        const read = oncePerRun(this.#context, this.client.key("artifact", name), async () => {
            // One that is missing is not remembered: it may come in the same run.
            if (!(await this.client.find(call, collection(this.#ns), answer))) throw new MissingArtifact();
        });
        return read.then(
            () => true,
            (error: unknown) => !(error instanceof MissingArtifact),
        );
    }

    /**
     * Every deployment of the namespace, as this run saw it first, with what it made and deleted since. Those of a kind that
     * is not known here are others', and left out.
     */
    async seen(): Promise<Deployment[]> {
        return (await this.#list.all()).flatMap(({ deployment }) => deployment ?? []);
    }

    find(id: string): Promise<Deployment | undefined> {
        return this.client.find(
            { path: dialect.deployment.item(this.#ns, id), action: `read deployment ${id}` },
            dialect.deployment.collection(this.#ns),
            dialect.deployment.answer,
        );
    }

    async create(definition: Definition): Promise<Deployment> {
        const made = await this.client.call(
            {
                method: "POST",
                path: dialect.deployment.collection(this.#ns),
                json: dialect.deployment.body(definition),
                action: `create deployment '${definition.name}'`,
            },
            dialect.deployment.answer,
        );
        outdate(this.#nameKey(made.name), this.#context);
        await this.#list.put({ id: made.id, name: made.name, deployment: made }, ({ id }) => id === made.id);
        return made;
    }

    /** Says that a deployment of that name was made or deleted past these calls in this run. */
    made(name: string): void {
        outdate(this.#nameKey(name));
    }

    /** Puts a definition in the place of the one that is there; a running job keeps the old one. */
    update({ id, raw }: Deployment, definition: Definition): Promise<Deployment> {
        const put = () =>
            this.client.call(
                {
                    method: "PUT",
                    path: dialect.deployment.item(this.#ns, id),
                    json: dialect.deployment.update(definition, raw),
                    action: `change deployment '${definition.name}'`,
                },
                dialect.deployment.answer,
            );
        return settled(put, put);
    }

    /** Its job must have ended. */
    async delete({ id, name }: Pick<Deployment, "id" | "name">): Promise<void> {
        await this.client.delete(
            { path: dialect.deployment.item(this.#ns, id), action: `delete deployment '${name}'` },
            async () => (await this.find(id)) === undefined,
        );
        outdate(this.#nameKey(name), this.#context);
        await this.#list.drop((other) => other.id === id);
    }

    /**
     * The newest hundred jobs of a deployment, or all: the active one first when there is one, then by start. Which ones a
     * platform lists first is not known; where it is the oldest, the list is read to its end.
     */
    async jobs(deploymentId: string): Promise<Job[]> {
        const { size } = dialect.page;
        const first = await this.#jobs(deploymentId, size);
        const oldestFirst = (first[0]?.startTime ?? 0) < (first.at(-1)?.startTime ?? 0);
        const jobs = first.length >= size && oldestFirst ? await this.#jobs(deploymentId) : first;
        return jobs.sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.startTime - a.startTime);
    }

    job(id: string): Promise<Job | undefined> {
        return this.client.find(
            { path: dialect.job.item(this.#ns, id), action: `read job ${id}` },
            dialect.deployment.collection(this.#ns),
            dialect.job.answer,
        );
    }

    /** The end of what the platform tells of a job; see {@link lastEvents} and {@link lastLogLines}. */
    async tail({ id }: Job, deploymentId: string): Promise<string> {
        const parts = [lastEvents(this.client, { jobId: id }), lastLogLines(this.client, deploymentId)];
        return (await Promise.all(parts)).join("");
    }

    /** Starts a job; `known` are the jobs from before, so that a lost answer is found among the new ones. */
    start({ id, name }: Deployment, restore: JobRestore, known: readonly Job[]): Promise<Job> {
        const before = new Set(known.map((job) => job.id));
        starts(id);
        return settled(
            () =>
                this.client.call(
                    {
                        method: "POST",
                        path: dialect.job.start(this.#ns),
                        json: dialect.job.startBody(id, restore),
                        action: `start deployment '${name}' (restore ${restore})`,
                    },
                    dialect.job.answer,
                ),
            async () => (await this.jobs(id)).find((job) => !before.has(job.id)),
        );
    }

    #nameKey(name: string): string {
        return this.client.key("deployment", this.#ns, name);
    }

    #listKey(): string {
        return this.client.key("deployments", this.#ns);
    }

    /** One that moved from one page to the next while they were read is listed twice. */
    async #read(action: string, query: Record<string, string>): Promise<Listed[]> {
        const all = await this.client.list(
            { path: dialect.deployment.collection(this.#ns), query, action },
            dialect.deployment.identity,
        );
        const entries = all.map(({ id, name, raw }): Listed => {
            const { data: deployment } = dialect.deployment.answer.safeParse(raw);
            return { id, name, deployment };
        });
        return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    }

    #jobs(deploymentId: string, limit?: number): Promise<Job[]> {
        return this.client.list(
            {
                path: dialect.job.collection(this.#ns),
                query: dialect.job.deploymentQuery(deploymentId),
                action: `list the jobs of deployment ${deploymentId}`,
            },
            dialect.job.answer,
            limit,
        );
    }

    /** Asks a job to stop; asking twice does no harm. */
    async stop(job: Job, strategy: JobStop): Promise<void> {
        const ask = () =>
            this.client.send({
                method: "POST",
                path: dialect.job.stop(this.#ns, job.id),
                json: dialect.job.stopBody(strategy),
                action: `stop job ${job.id} (${strategy})`,
            });
        const ended = async () => {
            const now = await this.job(job.id);
            return now === undefined || now.status === "CANCELLING" || !isActive(now) ? true : undefined;
        };
        await settled(async () => {
            await ask();
            return true;
        }, ended);
    }
}

/** STARTING, RUNNING or CANCELLING: there must be no second job beside it. */
export function isActive(job: Job): boolean {
    return job.status === "STARTING" || job.status === "RUNNING" || job.status === "CANCELLING";
}
