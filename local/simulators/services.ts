import path from "node:path";
import { repository } from "../automation.ts";
import {
    flinkUrl,
    icebergCatalogUrl,
    type Ports,
    type ServiceSpec,
    s3Endpoint,
    serviceNames,
    sqlGatewayUrl,
} from "../services/index.ts";

/** Kubernetes namespace in which the simulated platform lets jobs run. */
export const jobNamespace = "fluss-jobs";

/** The simulated Lakekeeper: its management API, and its catalog in front of the real Iceberg catalog. */
export function lakekeeperSimulator(
    ports: Ports,
    settings: { token: string; stateFile: string },
): ServiceSpec {
    return simulator("lakekeeper", serviceNames.lakekeeper, ports.lakekeeper, settings.token, {
        stateFile: settings.stateFile,
        backendUrl: icebergCatalogUrl(ports),
        s3: { endpoint: s3Endpoint(ports) },
    });
}

/** The simulated Ververica Platform: its API in front of the real Flink. */
export function vvpSimulator(ports: Ports, settings: { token: string; stateFolder: string }): ServiceSpec {
    return simulator("vvp", serviceNames.vvp, ports.vvp, settings.token, {
        stateDir: settings.stateFolder,
        flinkUrl: flinkUrl(ports),
        gatewayUrl: sqlGatewayUrl(ports),
        kubernetesNamespaces: [jobNamespace],
    });
}

function simulator(folder: string, name: string, port: number, token: string, settings: object): ServiceSpec {
    return {
        name,
        command: process.execPath,
        args: [
            "--disable-warning=ExperimentalWarning",
            path.join(repository, "local/simulators", folder, "main.ts"),
            "settings.json",
        ],
        env: {},
        files: { "settings.json": JSON.stringify({ port, token, ...settings }) },
        secrets: [token],
        ready: { tcp: port },
        deadlineSeconds: 30,
    };
}
