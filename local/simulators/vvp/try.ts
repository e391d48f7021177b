import { randomUUID } from "node:crypto";
import { simulatedFlink, startVvpSimulator } from "./index.ts";

/*
 * `npm run simulator:vvp`: the simulated VVP alone, with a Flink in memory behind it, to try the library without a
 * platform and without Flink. Prints its address and how to use it; ends on Ctrl-C, and everything is gone then.
 * The port is VV_SIMULATOR_PORT, else a free one.
 */

const token = randomUUID();
const simulator = await startVvpSimulator({
    port: Number(process.env["VV_SIMULATOR_PORT"] ?? 0),
    token,
    flink: simulatedFlink(),
    kubernetesNamespaces: ["jobs"],
    flussConsole: true,
    onRequest: ({ method, path, status, milliseconds }) =>
        // The last part of an upload's path is its permission.
        console.log(`${method} ${path.replace(/^(\/_sim\/blob\/).*/, "$1***")} ${status} ${milliseconds} ms`),
});
console.log(`simulated VVP at ${simulator.url}, namespace default, Kubernetes namespace jobs; jobs run in memory only

To use it from another terminal (the token is this run's own, and good for nothing else):

    export VV_API_HOST=${simulator.url} VV_API_TOKEN=${token} VV_NAMESPACE=default
    curl -H "Authorization: Bearer $VV_API_TOKEN" $VV_API_HOST/api/v1/namespaces/default/deployment-targets

A program with the resources of pulumi-fluss/dynamic-providers needs no more than connection: {}; then pulumi up.
VV_SIMULATOR_PORT=<port> keeps the address over a restart; the objects are gone then.
The library's own tests, pointed at it:  VV_JOB_NAMESPACE=jobs npm run test:vvp
Ctrl-C ends it.
`);
for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void simulator.close().then(() => process.exit(0)));
}
