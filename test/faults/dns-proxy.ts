/** A proxy that is reached by a name, and whose name is not found when it shall not be. */
import dns from "node:dns";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ArmedCalls } from "./armed-calls.ts";
import { type FaultProxy, forward } from "./fault-proxy.ts";

/** What the resolver says of the name before a call, by the codes that Node gives. Nothing reaches the API. */
export const dnsFaults: Record<string, string> = {
    "name not found": "ENOTFOUND",
    "no answer of the resolver": "EAI_AGAIN",
};

/** What is said of a name now: an error's code, or nothing. */
const names = new Map<string, () => string | undefined>();

/** Starts such a proxy in front of `target`; each call has a connection of its own, and so asks for the name. */
export async function dnsProxy(target: string): Promise<FaultProxy> {
    const armed = new ArmedCalls();
    const sockets = new Set<Socket>();
    const server = http.createServer((request, response) => {
        armed.calls.push(`${request.method} ${request.url}`);
        response.shouldKeepAlive = false;
        forward(target, request, response, () => void request.socket.destroy());
    });
    server.on("connection", (socket) => {
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const name = `api-${port}.faults.invalid`;
    names.set(name, () => dnsFaults[armed.hit() ?? ""]);
    return armed.proxy(
        `http://${name}:${port}`,
        () =>
            new Promise((done) => {
                names.delete(name);
                for (const socket of sockets) socket.destroy();
                server.close(() => done());
            }),
    );
}

type Found = (error: Error | null, address?: string | dns.LookupAddress[], family?: number) => void;

const resolver = dns.lookup;

// Node's sockets take the resolver from here at each connection.
Object.assign(dns, {
    lookup(name: string, options: dns.LookupOptions, found: Found) {
        const said = names.get(name);
        if (!said) return resolver(name, options, found as never);
        const code = said();
        setImmediate(() => {
            if (code)
                found(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code, hostname: name }));
            else if (options.all) found(null, [{ address: "127.0.0.1", family: 4 }]);
            else found(null, "127.0.0.1", 4);
        });
    },
});
