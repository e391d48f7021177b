import http from "node:http";
import type net from "node:net";

/** A job of the stub, in Flink's own words; tests write to it. */
export interface StubJob {
    id: string;
    name: string;
    state: string;
    started: number;
    vertices: { name: string; status: string }[];
    /** Stack traces, the newest first. */
    exceptions: string[];
    /** Where it was restored from. */
    savepoint?: string;
    /** What it was stopped with. */
    stoppedWith?: string;
    completedCheckpoints: number;
    args: string[];
}

/** The REST API of a session cluster without jobs of its own, as the provider uses it. Not Flink: see the tests on the real one. */
export interface StubFlink {
    url: string;
    jobs: StubJob[];
    /** Names of the JARs that are uploaded at this moment. */
    readonly jars: ReadonlyMap<string, string>;
    /** Changes a job as it is submitted, for example into one that fails. */
    onSubmit: (job: StubJob) => void;
    /** The next request of this method and path does its work, but its answer does not come back. */
    loseNext(method: string, path: RegExp): void;
    /** Takes part in a submission that does not come over REST. */
    submit(job: Pick<StubJob, "id" | "name"> & Partial<StubJob>): void;
    close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startStubFlink(): Promise<StubFlink> {
    const jars = new Map<string, string>();
    const losses: { method: string; path: RegExp }[] = [];
    const savepoints = new Map<string, string>();
    let clock = 1;
    const stub: Omit<StubFlink, "url" | "close"> = {
        jobs: [],
        jars,
        onSubmit: () => undefined,
        loseNext: (method, path) => void losses.push({ method, path }),
        submit: (part) => {
            const job: StubJob = {
                state: "RUNNING",
                started: clock++,
                vertices: [{ name: "Source: numbers", status: "RUNNING" }],
                exceptions: [],
                completedCheckpoints: 0,
                args: [],
                ...part,
            };
            stub.jobs.push(job);
            stub.onSubmit(job);
        },
    };
    const answer = (method: string, path: string, body: string): [number, unknown] => {
        const [, kind, id = "", part, more] = path.split("/");
        const json = (): Record<string, never> => JSON.parse(body) as Record<string, never>;
        if (method === "POST" && path === "/jars/upload") {
            const name = /filename="([^"]+)"/.exec(body)?.[1] ?? "";
            jars.set(`uuid_${name}`, name);
            return [200, { filename: `/tmp/uploads/uuid_${name}`, status: "success" }];
        }
        if (kind === "jars" && method === "GET") {
            return [200, { files: [...jars].map(([jar, name]) => ({ id: jar, name })) }];
        }
        if (kind === "jars" && method === "DELETE") {
            jars.delete(id);
            return [200, {}];
        }
        if (kind === "jars") {
            if (!jars.has(id)) return [400, { errors: [`Jar file ${id} does not exist`] }];
            const run = json() as unknown as {
                jobId: string;
                programArgsList: string[];
                flinkConfiguration: Record<string, string>;
                savepointPath?: string;
            };
            const { jobId, programArgsList: args, flinkConfiguration, savepointPath: savepoint } = run;
            stub.submit({ id: jobId, name: flinkConfiguration["pipeline.name"] ?? "", args, savepoint });
            return [200, { jobid: jobId }];
        }
        if (path === "/jobs/overview") {
            const listed = stub.jobs.map((job) => ({
                jid: job.id,
                name: job.name,
                state: job.state,
                "start-time": job.started,
            }));
            return [200, { jobs: listed }];
        }
        const job = stub.jobs.find((known) => known.id === id);
        if (!job)
            return [
                404,
                { errors: [`org.apache.flink.runtime.rest.NotFoundException: Job ${id} not found`] },
            ];
        if (method === "PATCH") job.state = "CANCELED";
        if (part === "status") return [200, { status: job.state }];
        if (part === "exceptions") {
            const entries = job.exceptions.map((stacktrace) => ({ stacktrace }));
            return [200, { exceptionHistory: { entries } }];
        }
        if (part === "checkpoints") {
            const savepoint = job.stoppedWith && {
                external_path: job.stoppedWith,
                checkpoint_type: "SYNC_SAVEPOINT",
            };
            return [
                200,
                { counts: { completed: job.completedCheckpoints, restored: 0 }, latest: { savepoint } },
            ];
        }
        if (part === "stop") {
            const { triggerId } = json() as unknown as { triggerId: string };
            job.state = "FINISHED";
            job.stoppedWith = `file:/savepoints/savepoint-${job.started}`;
            savepoints.set(triggerId, job.stoppedWith);
            return [202, { "request-id": triggerId }];
        }
        if (part === "savepoints") {
            return [
                200,
                { status: { id: "COMPLETED" }, operation: { location: savepoints.get(more ?? "") } },
            ];
        }
        return [method === "PATCH" ? 202 : 200, { vertices: job.vertices }];
    };
    const server = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
            const { method = "GET", url = "" } = request;
            const path = url.split("?")[0] ?? "";
            const [status, body] = answer(method, path, Buffer.concat(chunks).toString());
            const loss = losses.findIndex((lost) => lost.method === method && lost.path.test(path));
            if (loss >= 0) {
                losses.splice(loss, 1);
                return request.socket.destroy();
            }
            response.writeHead(status, { "content-type": "application/json" });
            response.end(JSON.stringify(body));
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return Object.assign(stub, {
        url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
        close: () => {
            server.closeAllConnections();
            return new Promise<void>((resolve) => server.close(() => resolve()));
        },
    });
}
