import { randomUUID } from "node:crypto";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { refuseTaken } from "./dialect.ts";
import type { FlussCluster } from "./state.ts";

interface Body extends Omit<FlussCluster, "id"> {
    id?: string;
    status?: string;
    password?: string;
}

/**
 * The Fluss Console's registrations. Its API is not public: paths and names are those of the contract, which are
 * invented. Nothing is connected to, so that the health of a cluster is always UNKNOWN.
 */
export function flussConsoleHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { flussClusters } = store.state;
    const show = (cluster: FlussCluster) => ({ ...cluster, status: "UNKNOWN" });
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
        listFlussClusters: on(() => ({ status: 200, body: { items: flussClusters.map(show) } })),
        registerFlussCluster: on((call) => {
            const { password, status: _status, ...fields } = call.body as Body;
            const named = flussClusters.map(({ name }) => ({ name, namespace: "" }));
            refuseTaken(named, "", fields.name, "Fluss cluster");
            const cluster = { ...fields, id: randomUUID() };
            flussClusters.push(cluster);
            if (password !== undefined) store.secrets.secretValues[secretKey(cluster.id)] = password;
            store.save();
            return { status: 201, body: show(cluster) };
        }),
        getFlussCluster: on((call) => ({ status: 200, body: show(find(call)) })),
        updateFlussCluster: on((call) => {
            const cluster = find(call);
            const { password, status: _status, id: _id, ...fields } = call.body as Body;
            const changed = { ...fields, id: cluster.id };
            flussClusters.splice(flussClusters.indexOf(cluster), 1, changed);
            if (password !== undefined) store.secrets.secretValues[secretKey(cluster.id)] = password;
            store.save();
            return { status: 200, body: show(changed) };
        }),
        deleteFlussCluster: on((call) => {
            const cluster = find(call);
            flussClusters.splice(flussClusters.indexOf(cluster), 1);
            delete store.secrets.secretValues[secretKey(cluster.id)];
            store.save();
            return { status: 204 };
        }),
    };
}
