import { generateKeyPairSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import type { KubernetesTools } from "../../toolchain/kubernetes.ts";
import { kubeRequest } from "./api.ts";
import { BedProcess } from "./bed-process.ts";
import { writeKwokConfig } from "./kwok-config.ts";
import { Watchdog } from "./watchdog.ts";

/** A Kubernetes API server with its controllers on loopback. Its objects are real; pods are only said to run. */
export interface KubernetesBed {
    /** File for clients, 0600: address, certificate and an administrator's token. */
    kubeconfig: string;
    /** The API server's own certificate, its CA in the same file: it also serves for other TLS servers of the bed. */
    tls: { cert: string; key: string };
    /** Ends all processes; the folder stays. Without this call they end with this process, and the folder goes. */
    stop(): Promise<void>;
}

/** Arguments of {@link startKubernetes}. */
export interface KubernetesBedArgs {
    tools: KubernetesTools;
    /** Empty folder for data, logs and keys. */
    folder: string;
    /** Where a port-forward to a pod's port leads: the number of a local port. A port that is not named is refused. */
    forwards?: Record<number, number>;
}

/**
 * Starts etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok, and waits until a pod could be placed.
 *
 * The API server makes its own certificate. kwok stands in for the one node's kubelet: it says that pods are ready
 * and volumes bound (class `kwok-volume`, expandable), and answers port-forwards.
 * @throws with the end of the log of whatever did not start
 */
export async function startKubernetes({
    tools,
    folder,
    forwards = {},
}: KubernetesBedArgs): Promise<KubernetesBed> {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const [client, peer, api, controllers, scheduler, kubelet] = await freePorts(6);
    const at = (name: string) => path.join(folder, name);
    const token = randomBytes(24).toString("hex");
    writeKeys(folder, token);
    const processes: BedProcess[] = [];
    const watchdog = new Watchdog(folder);
    const run = (name: string, program: string, args: string[]) => {
        const started = new BedProcess(name, program, args, at(`${name}.log`), watchdog);
        processes.push(started);
        return started;
    };
    const stop = async () => {
        for (const one of [...processes].reverse()) await one.stop();
        watchdog.dismiss();
    };
    try {
        const etcdUrl = `http://127.0.0.1:${client}`;
        const peerUrl = `http://127.0.0.1:${peer}`;
        run("etcd", tools.etcd, [
            ...["--name=bed", `--data-dir=${at("etcd")}`, "--unsafe-no-fsync"],
            ...[`--listen-client-urls=${etcdUrl}`, `--advertise-client-urls=${etcdUrl}`],
            ...[`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`],
            `--initial-cluster=bed=${peerUrl}`,
        ]);
        const apiserver = run("apiserver", tools.apiserver, [
            ...[`--etcd-servers=${etcdUrl}`, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"],
            ...[`--secure-port=${api}`, `--cert-dir=${at("pki")}`, `--token-auth-file=${at("tokens.csv")}`],
            "--service-account-issuer=https://kubernetes.default.svc",
            `--service-account-key-file=${at("accounts.pub")}`,
            `--service-account-signing-key-file=${at("accounts.key")}`,
            ...["--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC"],
            ...["--allow-privileged=true", "--endpoint-reconciler-type=none"],
        ]);
        const cert = at("pki/apiserver.crt");
        const key = at("pki/apiserver.key");
        await apiserver.until("its certificate", () => fs.existsSync(cert) && fs.existsSync(key));
        const kubeconfig = at("kubeconfig");
        fs.writeFileSync(kubeconfig, clientConfig(api!, cert, token), { mode: 0o600 });
        await apiserver.until("an answer at /readyz", () => isReady(kubeconfig));

        const asAdmin = [
            `--kubeconfig=${kubeconfig}`,
            `--authentication-kubeconfig=${kubeconfig}`,
            `--authorization-kubeconfig=${kubeconfig}`,
        ];
        run("controller-manager", tools.controllerManager, [
            ...asAdmin,
            ...[
                "--bind-address=127.0.0.1",
                `--secure-port=${controllers}`,
                `--cert-dir=${at("pki-controllers")}`,
            ],
            ...["--leader-elect=false", `--service-account-private-key-file=${at("accounts.key")}`],
            `--root-ca-file=${cert}`,
            // kwok gives signs of life seldom, and later after each change of the node; pods of a node without any are not
            // ready, and nothing would make them ready again.
            "--node-monitor-grace-period=1h",
        ]);
        run("scheduler", tools.scheduler, [
            ...asAdmin,
            ...[
                "--bind-address=127.0.0.1",
                `--secure-port=${scheduler}`,
                `--cert-dir=${at("pki-scheduler")}`,
            ],
            "--leader-elect=false",
        ]);
        const config = at("kwok.yaml");
        fs.writeFileSync(config, writeKwokConfig(tools.kwokStages, forwards));
        const kwok = run("kwok", tools.kwok, [
            ...[`--kubeconfig=${kubeconfig}`, `--config=${config}`, "--manage-all-nodes=true"],
            ...["--node-ip=127.0.0.1", `--node-port=${kubelet}`, `--server-address=127.0.0.1:${kubelet}`],
            ...[`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`],
        ]);
        await makeNode(kubeconfig);
        await kwok.until("a node that is ready", () => nodeIsReady(kubeconfig));
        return { kubeconfig, tls: { cert, key }, stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

async function isReady(kubeconfig: string): Promise<boolean> {
    return kubeRequest(kubeconfig, "GET", "/readyz").then(
        ({ status }) => status === 200,
        () => false,
    );
}

async function makeNode(kubeconfig: string): Promise<void> {
    const labels = {
        "kubernetes.io/hostname": "bed-0",
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    };
    const size = { cpu: "64", memory: "256Gi", pods: "500" };
    await kubeRequest(kubeconfig, "POST", "/api/v1/nodes", {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "bed-0", labels, annotations: { "kwok.x-k8s.io/node": "fake" } },
        status: { capacity: size, allocatable: size },
    });
    await kubeRequest(kubeconfig, "POST", "/apis/storage.k8s.io/v1/storageclasses", {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "kwok-volume" },
        provisioner: "kwok.x-k8s.io/volume",
        allowVolumeExpansion: true,
        reclaimPolicy: "Delete",
    });
}

async function nodeIsReady(kubeconfig: string): Promise<boolean> {
    const { body } = await kubeRequest(kubeconfig, "GET", "/api/v1/nodes/bed-0");
    const status = (body as { status?: { conditions?: { type: string; status: string }[] } }).status;
    return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** The token of an administrator, and the key pair that signs the tokens of ServiceAccounts. */
function writeKeys(folder: string, token: string): void {
    const file = (name: string) => path.join(folder, name);
    fs.writeFileSync(file("tokens.csv"), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
    const { publicKey, privateKey } = generateKeyPairSync("rsa", {
        modulusLength: 2048,
        publicKeyEncoding: { type: "spki", format: "pem" },
        privateKeyEncoding: { type: "pkcs1", format: "pem" },
    });
    fs.writeFileSync(file("accounts.key"), privateKey, { mode: 0o600 });
    fs.writeFileSync(file("accounts.pub"), publicKey);
}

function clientConfig(port: number, cert: string, token: string): string {
    const ca = fs.readFileSync(cert).toString("base64");
    const server = `https://127.0.0.1:${port}`;
    return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "bed", cluster: { server, "certificate-authority-data": ca } }],
        users: [{ name: "admin", user: { token } }],
        contexts: [{ name: "bed", context: { cluster: "bed", user: "admin" } }],
        "current-context": "bed",
    });
}

/** Different ports of loopback that nobody listens on. */
async function freePorts(count: number): Promise<number[]> {
    const servers = await Promise.all(
        Array.from(
            { length: count },
            () =>
                new Promise<net.Server>((done, failed) => {
                    const server = net.createServer();
                    server.once("error", failed);
                    server.listen(0, "127.0.0.1", () => done(server));
                }),
        ),
    );
    const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    return ports;
}
