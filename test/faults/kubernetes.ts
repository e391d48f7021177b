import { gzipSync } from "node:zlib";
import { kubernetesProviders } from "../../dynamic-providers/kubernetes/index.ts";
import type { Hosted } from "../../dynamic-providers/resource.ts";
import { kubeconfigOf, type Objects, startKubernetesApi } from "./kubernetes-api.ts";
import type { Bag } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";

const clusters = new WeakMap<World, Objects>();
const release = "desk";

/** What our own resources call of a cluster, on a stand-in for its API; what Helm calls is not theirs. */
export const kubernetesScenarios: Scenario[] = [
    {
        ...scenario("keptSecret"),
        first: (world, url) => ({ ...place(world, url), name: "kept", random: { key: 32 } }),
        count: async (world) => secrets(world).length,
        // It outlives the stack.
        remains: 1,
        wrong: async (world) =>
            (secrets(world)[0]?.["data"] as Bag | undefined)?.["key"] ? undefined : "the Secret has no key",
    },
    {
        ...scenario("flussReleaseGuard", installed),
        first: (world, url) => guard(world, url, "a"),
        changed: (world, url) => guard(world, url, "b"),
        count: async (world) => leases(world).length,
    },
    {
        ...scenario("lakekeeperReleaseGuard", installedLakekeeper),
        first: (world, url) => lakekeeperGuard(world, url, "a"),
        changed: (world, url) => lakekeeperGuard(world, url, "b"),
        count: async (world) => leases(world).length,
    },
    {
        ...scenario("releaseRecord", begun),
        first: (world, url) => ({ ...place(world, url), release, guard: "first" }),
        changed: (world, url) => ({ ...place(world, url), release, guard: "changed" }),
        count: async (world) => leases(world).length,
        remains: 1,
        wrong: async (world, wanted) => finished(world, wanted),
    },
    {
        ...scenario(
            "flussTieringCheck",
            (namespace) => new Map([...installed(namespace), ...begun(namespace)]),
        ),
        first: (world, url) => check(world, url, "first", 1),
        changed: (world, url) => check(world, url, "changed", 2),
        count: async (world) => leases(world).length,
        remains: 1,
        wrong: async (world, wanted) => finished(world, wanted),
    },
    {
        ...scenario("jobNamespaceCheck", jobs),
        first: (world, url) => jobCheck(world, url, ["get"]),
        changed: (world, url) => jobCheck(world, url, ["get", "create"]),
        // It makes nothing.
        count: async () => 1,
        remains: 1,
    },
];

let namespaces = 0;

function scenario(
    name: string,
    before: (namespace: string) => Objects = () => new Map(),
): Pick<Scenario, "name" | "provider" | "start"> {
    return {
        name,
        provider: kubernetesProviders[name] as Hosted,
        async start() {
            // A process remembers for which release it gives signs of life.
            const namespace = `n${++namespaces}`;
            const objects = before(namespace);
            const { url, close } = await startKubernetesApi(objects);
            const world = { url, close, facts: { namespace }, outside: async () => undefined };
            clusters.set(world, objects);
            return world;
        },
    };
}

const place = ({ facts }: World, url: string) => ({
    access: { kubeconfig: kubeconfigOf(url) },
    namespace: facts["namespace"],
});

const at = (namespace: string, kind: string, name: string) =>
    `/api/v1/namespaces/${namespace}/${kind}/${name}`;
const setAt = (namespace: string, name: string) =>
    `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`;
const leaseAt = (namespace: string) =>
    `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/pulumi-fluss-${release}`;

const options = { "datalake.format": "iceberg", "default.bucket.number": "3" };

/** What Helm has made of the release. */
function installed(namespace: string): Objects {
    const labels = { "app.kubernetes.io/instance": release };
    const set = (name: string, replicas: number) => ({ metadata: { name, labels }, spec: { replicas } });
    const yaml = Object.entries(options).map(([key, value]) => `${key}: ${value}\n`);
    return new Map<string, Bag>([
        [setAt(namespace, "coordinator-server"), set("coordinator-server", 1)],
        [setAt(namespace, "tablet-server"), set("tablet-server", 3)],
        [
            at(namespace, "configmaps", "fluss-conf-file"),
            { metadata: { name: "fluss-conf-file" }, data: { "server.yaml": yaml.join("") } },
        ],
    ]);
}

/** Helm's record of the release, with one object; and the mark of the run that made it and was cut off before it could tell. */
function installedLakekeeper(namespace: string): Objects {
    const config = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "settings" },
        data: { port: "8181" },
    };
    const content = {
        info: { status: "deployed" },
        config: { podAnnotations: { "pulumi-fluss/rollout": "first" } },
        chart: { metadata: { version: "0.12.0" } },
        manifest: JSON.stringify(config),
    };
    const packed = gzipSync(JSON.stringify(content)).toString("base64");
    const name = `sh.helm.release.v1.${release}.v1`;
    const labels = { owner: "helm", name: release, version: "1" };
    const kinds = [{ name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["get"] }];
    return new Map<string, Bag>([
        ["/api/v1", { kind: "APIResourceList", groupVersion: "v1", resources: kinds }],
        [
            at(namespace, "secrets", name),
            { metadata: { name, labels }, data: { release: Buffer.from(packed).toString("base64") } },
        ],
        [at(namespace, "configmaps", "settings"), config],
        ...begun(namespace),
    ]);
}

/** The mark of a run that began to install it. */
function begun(namespace: string): Objects {
    const metadata = { name: `pulumi-fluss-${release}`, annotations: { "pulumi-fluss/begun": "first" } };
    return new Map([[leaseAt(namespace), { metadata, spec: { holderIdentity: "somebody" } }]]);
}

function jobs(namespace: string): Objects {
    return new Map<string, Bag>([
        [`/api/v1/namespaces/${namespace}`, { metadata: { name: namespace }, status: { phase: "Active" } }],
        ["/api/v1/namespaces/vvp", { metadata: { name: "vvp" }, status: { phase: "Active" } }],
        [at("vvp", "serviceaccounts", "manager"), { metadata: { name: "manager" } }],
    ]);
}

function guard(world: World, url: string, values: string): Bag {
    const storage = { size: "20Gi", storageClass: "fast" };
    const spec = {
        chart: "bundle",
        version: "1.0.0",
        tabletServers: 3,
        coordinators: 1,
        replicationFactor: 3,
        tabletStorage: storage,
        zookeeperStorage: storage,
        users: ["fluss"],
        options,
    };
    return { ...place(world, url), release, spec, values };
}

function lakekeeperGuard(world: World, url: string, values: string): Bag {
    const spec = {
        version: "0.12.0",
        storage: { size: "20Gi", storageClass: "fast" },
        authorization: "allowall",
        secretStore: "postgres",
    };
    return { ...place(world, url), release, spec, values };
}

function check(world: World, url: string, mark: string, revision: number): Bag {
    const wanted = { "datalake.format": "iceberg" };
    return { ...place(world, url), release, guard: mark, revision, wanted };
}

function jobCheck(world: World, url: string, verbs: string[]): Bag {
    return {
        ...place(world, url),
        platform: { namespace: "vvp", serviceAccount: "manager" },
        rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs }],
        settleSeconds: 0,
    };
}

const kept = (world: World, kind: string) =>
    [...clusters.get(world)!].filter(([path]) => path.includes(`/${kind}/`)).map(([, object]) => object);
const secrets = (world: World) => kept(world, "secrets");
const leases = (world: World) => kept(world, "leases");

/** The installation of that guard must be told to be finished. */
function finished(world: World, guardMark: string): string | undefined {
    const metadata = leases(world)[0]?.["metadata"] as { annotations?: Bag } | undefined;
    const found = metadata?.annotations?.["pulumi-fluss/finished"];
    return found === guardMark ? undefined : `the mark says that ${found} is finished, not ${guardMark}`;
}
