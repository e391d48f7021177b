/** Serves a plugin of ours over the protocol of the Pulumi engine, in this process and on the loopback interface. */

import { answering, type Calls, type Served, serve } from "../../host/serve.ts";
import { Handlers } from "./handlers.ts";
import type { Plugin } from "./resource-type.ts";

export interface ServedPlugin extends Served {
    name: string;
}

/** Starts to serve on a free port of 127.0.0.1. */
export async function servePlugin<Context>(plugin: Plugin<Context>): Promise<ServedPlugin> {
    return { name: plugin.name, ...(await serve(callsOf(plugin))) };
}

function callsOf<Context>(plugin: Plugin<Context>): Calls {
    const handlers = new Handlers(plugin);
    const configured = new Configurations<Context>();
    const answer = answering((error, peer) => handlers.explain(error, configured.find(peer)));
    return {
        getPluginInfo: answer(() => handlers.pluginInfo()),
        getSchema: answer(() => handlers.schema()),
        attach: answer(() => handlers.nothing()),
        cancel: answer(() => handlers.nothing()),
        checkConfig: answer((request) => handlers.checkConfig(request)),
        diffConfig: answer((request) => handlers.diffConfig(request)),
        configure: answer((request, peer) => {
            const { context, response } = handlers.configure(request);
            configured.set(peer, context);
            return response;
        }),
        check: answer((request) => handlers.check(request)),
        diff: answer((request) => handlers.diff(request)),
        invoke: answer((request, peer) => handlers.invoke(configured.get(peer), request)),
        create: answer((request, peer) => handlers.create(configured.get(peer), request)),
        read: answer((request, peer) => handlers.read(configured.get(peer), request)),
        update: answer((request, peer) => handlers.update(configured.get(peer), request)),
        delete: answer((request, peer) => handlers.delete(configured.get(peer), request)),
    };
}

/**
 * The engine attaches every provider of a stack to the same port, each by a connection of its own. So the
 * connection tells whose configuration counts.
 */
class Configurations<Context> {
    readonly #byPeer = new Map<string, Context>();

    set(peer: string, context: Context): void {
        this.#byPeer.set(peer, context);
    }

    find(peer: string): Context | undefined {
        return this.#byPeer.get(peer);
    }

    get(peer: string): Context {
        const context = this.#byPeer.get(peer);
        if (context === undefined) throw new Error("the provider was not configured on this connection");
        return context;
    }
}
