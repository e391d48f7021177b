import { lakekeeperProviders } from "../../dynamic-providers/lakekeeper/index.ts";
import type { Hosted } from "../../dynamic-providers/resource.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";
import { kubeconfigOf, type Objects, startKubernetesApi } from "./kubernetes-api.ts";
import type { Bag } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";

const namespace = "lk";
const secretPath = `/api/v1/namespaces/${namespace}/secrets/lakekeeper`;
const adminToken = "token-of-the-fault-matrix";

/**
 * `connection.kubernetes`: the proxy stands before a stand-in for the API of the cluster that gives the token. Behind that is a simulated
 * Lakekeeper which takes each token for one call alone, so that each of its calls has one of the cluster before it: a token that is
 * refused in the middle of a step is got anew.
 */
export const kubernetesTokenScenarios: Scenario[] = [
    scenario("a token for a ServiceAccount", { serviceAccount: "pulumi" }),
    scenario("the token of a Secret", { secret: "lakekeeper" }),
];

function scenario(kind: string, source: Bag): Scenario {
    const project = (world: World, url: string, name: string): Bag => ({
        connection: {
            url: world.facts["lakekeeper"],
            kubernetes: { kubeconfig: kubeconfigOf(url), namespace, ...source },
        },
        projectId: "lake",
        name,
        deletionProtection: false,
    });
    return {
        name: `lakekeeperProject, ${kind}`,
        provider: lakekeeperProviders["lakekeeperProject"] as Hosted,
        start,
        first: (world, url) => project(world, url, "Lake"),
        changed: (world, url) => project(world, url, "Renamed"),
        adopting: (inputs) => ({ ...inputs, adopt: true }),
        count: async (world) => {
            const { projects } = (await world.outside("GET", "/management/v1/project-list")) as {
                projects: Bag[];
            };
            return projects.filter((found) => found["project-id"] === "lake").length;
        },
    };
}

async function start(): Promise<World> {
    const objects: Objects = new Map();
    let replaced = 0;
    const replaceSecret = () => {
        const token = Buffer.from(`of-the-secret-${++replaced}`).toString("base64");
        objects.set(secretPath, { metadata: { name: "lakekeeper" }, data: { token } });
    };
    replaceSecret();
    const used = new Set<string>();
    const accepts = (token: string) => {
        if (used.has(token)) return false;
        used.add(token);
        replaceSecret();
        return true;
    };
    const cluster = await startKubernetesApi(objects);
    const catalog = await startCatalogStub();
    const lakekeeper = await startLakekeeperSimulator({
        port: 0,
        token: adminToken,
        accepts,
        backendUrl: catalog.url,
    });
    const outside = async (method: string, path: string, json?: unknown) => {
        const answer = await fetch(lakekeeper.url + path, {
            method,
            headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
            body: json === undefined ? null : JSON.stringify(json),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return text === "" ? {} : JSON.parse(text);
    };
    await outside("POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
    return {
        url: cluster.url,
        facts: { lakekeeper: lakekeeper.url },
        outside,
        close: async () => {
            await lakekeeper.close();
            await catalog.close();
            await cluster.close();
        },
    };
}
