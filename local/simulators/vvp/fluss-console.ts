import { randomUUID } from "node:crypto";
import net from "node:net";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import type { Context, FlussHealth } from "./context.ts";
import { refuseTaken } from "./dialect.ts";
import type { FlussCluster } from "./state.ts";

interface Body extends Omit<FlussCluster, "id"> {
    id?: string;
    status?: string;
    password?: string;
}

/**
 * HEALTHY when every server of a bootstrap endpoint takes a connection within a second. No user logs in, and the tablet
 * servers are not looked at.
 */
export async function flussHealthByPort(endpoint: string): Promise<FlussHealth> {
    const answers = await Promise.all(
        endpoint.split(",").map((one) => {
            const [host = "", port] = one.split(":");
            return new Promise<boolean>((done) => {
                const socket = net.connect({ host, port: Number(port), timeout: 1000 });
                const end = (reached: boolean) => {
                    socket.destroy();
                    done(reached);
                };
                socket.on("connect", () => end(true));
                for (const event of ["error", "timeout"]) socket.on(event, () => end(false));
            });
        }),
    );
    return answers.every(Boolean) ? "HEALTHY" : "UNHEALTHY";
}

/**
 * The Fluss Console's registrations. Its API is not public: paths and names are those of the contract, which are
 * invented. A cluster is UNKNOWN until it has been looked at, then what `flussHealth` says of its endpoint.
 */
export function flussConsoleHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { flussClusters } = store.state;
    /** Reads that still see UNKNOWN; not kept when the simulator ends. */
    const unseen = new Map<string, number>();
    const isNew = (cluster: FlussCluster) => {
        unseen.set(cluster.id, context.transitionReads);
        return cluster;
    };
    const show = async (cluster: FlussCluster, isRead = true) => {
        const left = unseen.get(cluster.id) ?? 0;
        if (isRead) unseen.set(cluster.id, left - 1);
        const status = left > 0 ? "UNKNOWN" : await context.flussHealth(cluster.bootstrapEndpoint);
        return { ...cluster, status };
    };
    const find = (call: Call) => {
        const found = flussClusters.find(({ id }) => id === call.params["clusterId"]);
        if (!found) throw new Refusal(404, `Fluss cluster ${call.params["clusterId"]} not found`);
        return found;
    };
    const on = (handler: Handler): Handler => {
        return (call) => {
            if (context.flussConsole) return handler(call);
            throw new Refusal(404, "the Fluss Console is not enabled (global.flussManager.enabled)");
        };
    };
    const secretKey = (id: string) => `fluss-console/${id}`;
    return {
        openFlussConsole: () => ({ status: context.flussConsole ? 200 : 404 }),
        listFlussClusters: on(async () => ({
            status: 200,
            body: { items: await Promise.all(flussClusters.map((cluster) => show(cluster))) },
        })),
        registerFlussCluster: on(async (call) => {
            const { password, status: _status, ...fields } = call.body as Body;
            const named = flussClusters.map(({ name }) => ({ name, namespace: "" }));
            refuseTaken(named, "", fields.name, "Fluss cluster");
            const cluster = { ...fields, id: randomUUID() };
            flussClusters.push(cluster);
            if (password !== undefined) store.secrets.secretValues[secretKey(cluster.id)] = password;
            store.save();
            return { status: 201, body: await show(isNew(cluster), false) };
        }),
        getFlussCluster: on(async (call) => ({ status: 200, body: await show(find(call)) })),
        updateFlussCluster: on(async (call) => {
            const cluster = find(call);
            const { password, status: _status, id: _id, ...fields } = call.body as Body;
            const changed = { ...fields, id: cluster.id };
            flussClusters.splice(flussClusters.indexOf(cluster), 1, changed);
            if (password !== undefined) store.secrets.secretValues[secretKey(cluster.id)] = password;
            store.save();
            return { status: 200, body: await show(isNew(changed), false) };
        }),
        deleteFlussCluster: on((call) => {
            const cluster = find(call);
            flussClusters.splice(flussClusters.indexOf(cluster), 1);
            unseen.delete(cluster.id);
            delete store.secrets.secretValues[secretKey(cluster.id)];
            store.save();
            return { status: 204 };
        }),
    };
}
