import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { KUBERNETES_VERSION } from "../../local/toolchain/kubernetes.ts";
import { startTestBed } from "./bed.ts";

/*
 * `npm run bed`: the bed of the Kubernetes tests alone, to try the installations by hand. Prints how to use it; ends on
 * Ctrl-C, and everything is gone then.
 */

const { pulumi } = await ensureTools(console.error);
// Behind the port-forward to Lakekeeper's pods, which are not real. It takes every token, also that of a new ServiceAccount.
const lakekeeper = await startLakekeeperSimulator({
    port: 0,
    token: null,
    onRequest: ({ method, path, status }) => console.log(`Lakekeeper: ${method} ${path} ${status}`),
});
const bed = await startTestBed({ 8181: Number(new URL(lakekeeper.url).port) });
await bed.makeNamespace("fluss");

const { kubeconfig, registry, env, pluginDir } = bed.shared;
console.log(`Kubernetes ${KUBERNETES_VERSION} on loopback, ready after ${bed.readySeconds.toFixed(1)} s

Real are the API server with its controllers, its objects, Helm and Pulumi's plugin. Not real: pods, which kwok only says to run; the
charts, which are small ones of ours with the objects of the vendors' charts; Lakekeeper behind the port-forward, which is the
simulated one and tries no storage. Nobody answers at Fluss' ports.

To use it from another terminal:

    export KUBECONFIG=${kubeconfig}
    export SSL_CERT_FILE=${env["SSL_CERT_FILE"]}
    export PULUMI_K8S_HELM_REGISTRY_CONFIG_PATH=${env["PULUMI_K8S_HELM_REGISTRY_CONFIG_PATH"]}
    export PATH=${pluginDir}:${pulumi.binDir}:$PATH

These are: an administrator's login; the certificate of the registry of charts; the login there, which is the file for
helmReleaseSettings.registryConfigPath, too; Pulumi's Kubernetes plugin, and pulumi. There is no kubectl among the tools.

The program of docs/kubernetes.md installs both servers here with storageClass: "kwok-volume" and the charts of this registry. The
namespace "fluss" is there, and names stand in for the buckets and their key:

    FlussCluster        chart.chart: { location: "oci://${registry.charts}/fluss-bundle" }
                        version 1.0.0-vv-3 or 1.0.0-vv-4; or kind: "apache", .../fluss, version 0.9.1-incubating or 1.0.0
    LakekeeperCatalog   chart.repository: "${registry.repository}"
                        chart.login: { username: "${registry.username}", password: "${registry.password}" }
                        version 0.12.0; 0.11.0 is there to be refused

To try: an up, and another one that changes nothing; smaller volumes, fewer servers or a misspelt option, which the preview
refuses; larger volumes; a kill of the engine in the midst of it, pulumi cancel, and up again; a change of a StatefulSet or
ConfigMap by hand, which a refresh finds and the next up puts right; a destroy, after which the claims are still there.
Ctrl-C ends it, and everything in it is gone.
`);
for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, async () => {
        await bed.stop();
        await lakekeeper.close();
        process.exit(0);
    });
}
