import fs from "node:fs";
import path from "node:path";
import { cacheFolder, contentHash, type Filling, fill, isFilled } from "./cache.ts";
import { findOnPath, runCommand, tryCommand } from "./command.ts";
import { checkPrerequisites } from "./prerequisites.ts";
import { isDownloadReachable } from "./pulumi-cli.ts";
import type { Report } from "./types.ts";

/** The programs of the Kubernetes test bed; every path is absolute. */
export interface KubernetesTools {
    etcd: string;
    apiserver: string;
    controllerManager: string;
    scheduler: string;
    kwok: string;
    /** Files that tell kwok how nodes and pods move from one state to the next. */
    kwokStages: string[];
    /** Folder with `pulumi-resource-kubernetes`, for the engine's `PATH`. */
    pluginDir: string;
}

/** Version of Kubernetes that is built; `kubernetes/kube/go.mod` pins the same. */
export const KUBERNETES_VERSION = "1.34.3";

/** Version that the plugin built from its Go module calls itself: that of the release which its commit precedes. */
export const KUBERNETES_PLUGIN_VERSION = "4.25.0";

const MODULES = path.join(import.meta.dirname, "kubernetes");
const PLUGIN_MODULE = "github.com/pulumi/pulumi-kubernetes/provider/v4";
const KWOK_MODULE = "sigs.k8s.io/kwok";
const STAGES = ["node/fast", "node/heartbeat", "pod/fast", "volume/fast"];

/** One Go module of `kubernetes/`, and the programs that are built from it. */
interface Recipe {
    module: "etcd" | "kube" | "kwok" | "plugin";
    /** Program and the package it is made of. */
    programs: Record<string, string>;
    ldflags: string;
    takes: string;
    /** What is written into the copy of the module before the build. */
    prepare?(folder: string): Promise<void>;
}

const RECIPES: Recipe[] = [
    {
        module: "etcd",
        programs: { etcd: "go.etcd.io/etcd/server/v3" },
        ldflags: "-s -w",
        takes: "about 1 minute",
    },
    {
        module: "kube",
        programs: {
            "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
            "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
            "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
        },
        ldflags: kubernetesVersionFlags(),
        takes: "5 to 10 minutes",
    },
    {
        module: "kwok",
        programs: { kwok: `${KWOK_MODULE}/cmd/kwok` },
        ldflags: `-s -w -X ${KWOK_MODULE}/pkg/consts.Version=v0.8.0`,
        takes: "2 to 3 minutes",
    },
    {
        module: "plugin",
        programs: { "pulumi-resource-kubernetes": "." },
        ldflags: `-s -w -X ${PLUGIN_MODULE}/pkg/version.Version=${KUBERNETES_PLUGIN_VERSION}`,
        takes: "8 to 15 minutes",
        prepare: writeEmbeddedFiles,
    },
];

/**
 * Makes sure that the programs of the Kubernetes test bed are there, and says where. A program on `PATH` is used as it
 * is (kwok apart, whose stages must fit it); the plugin is installed from its vendor where that can be reached; all
 * else is built from its Go module, once on a machine.
 * @throws when Go is needed and missing, or a build failed, with what to do
 */
export async function ensureKubernetesTools(
    report: Report,
    pulumi: { binDir: string; home: string },
): Promise<KubernetesTools> {
    const cacheDir = cacheFolder();
    const stagesFilling = kwokStagesFilling(cacheDir);
    const vendorPlugin = await vendorPluginDir(cacheDir, pulumi, report);
    const missing = RECIPES.filter((recipe) => {
        if (recipe.module === "plugin" && vendorPlugin) return false;
        return recipe.module === "kwok" || !onPath(recipe);
    });
    const fillings = [...missing.map((recipe) => buildFilling(cacheDir, recipe)), stagesFilling];
    if (!fillings.every(isFilled)) await checkPrerequisites(["go"], tryCommand);
    for (const filling of fillings) await fill(cacheDir, filling, report);

    const program = (name: string): string => {
        const recipe = RECIPES.find(({ programs }) => name in programs)!;
        return missing.includes(recipe)
            ? path.join(binFolder(cacheDir, recipe), name)
            : (findOnPath(name) ?? name);
    };
    const stages = stagesFolder(cacheDir);
    return {
        etcd: program("etcd"),
        apiserver: program("kube-apiserver"),
        controllerManager: program("kube-controller-manager"),
        scheduler: program("kube-scheduler"),
        kwok: program("kwok"),
        kwokStages: fs
            .readdirSync(stages)
            .sort()
            .map((name) => path.join(stages, name)),
        pluginDir: vendorPlugin ?? path.dirname(program("pulumi-resource-kubernetes")),
    };
}

function onPath(recipe: Recipe): boolean {
    return Object.keys(recipe.programs).every((name) => findOnPath(name) !== undefined);
}

function binFolder(cacheDir: string, { module, ldflags }: Recipe): string {
    const folder = path.join(MODULES, module);
    const files = fs
        .readdirSync(folder)
        .filter((name) => /\.(mod|sum|go)$/.test(name))
        .sort();
    const hash = contentHash(
        files.map((name) => path.join(folder, name)),
        ldflags,
    );
    return path.join(cacheDir, "kubernetes", `${module}-${hash}`);
}

function buildFilling(cacheDir: string, recipe: Recipe): Filling {
    const folder = binFolder(cacheDir, recipe);
    return {
        name: `Kubernetes test bed, ${Object.keys(recipe.programs).join(", ")}`,
        takes: `${recipe.takes} (build from the Go module)`,
        folders: [folder],
        async make(draft) {
            const source = path.join(draft, "source");
            fs.cpSync(path.join(MODULES, recipe.module), source, { recursive: true });
            await recipe.prepare?.(source);
            const made = path.join(draft, "bin");
            // One after the other: two links at once would need 8 GB of memory.
            for (const [name, from] of Object.entries(recipe.programs)) {
                const output = path.join(made, name);
                await go(
                    ["build", "-mod=readonly", "-trimpath", "-ldflags", recipe.ldflags, "-o", output, from],
                    source,
                );
            }
            return { [folder]: made };
        },
    };
}

function go(args: string[], cwd: string): Promise<string> {
    return runCommand("go", args, {
        cwd,
        nice: true,
        env: { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false" },
        hint: "Check that Go reaches its module proxy (go env GOPROXY), that 8 GB of disk and 5 GB of memory are free, and run again.",
    });
}

/** Where Go keeps the files of a module that a `go.mod` of `kubernetes/` names. */
async function moduleFolder(module: string, cwd: string): Promise<string> {
    await go(["mod", "download", module], cwd);
    return (await go(["list", "-m", "-f", "{{.Dir}}", module], cwd)).trim();
}

/** The two files that the plugin's own release build makes: its schema with the version in it, and a mapping. */
async function writeEmbeddedFiles(folder: string): Promise<void> {
    const own = path.join(await moduleFolder(PLUGIN_MODULE, folder), "cmd/pulumi-resource-kubernetes");
    const read = (name: string) => JSON.parse(fs.readFileSync(path.join(own, name), "utf8"));
    const write = (name: string, content: unknown) =>
        fs.writeFileSync(path.join(folder, name), JSON.stringify(content));
    write("schema-embed.json", { ...read("schema.json"), version: KUBERNETES_PLUGIN_VERSION });
    write("terraform-mapping-embed.json", read("terraform-mapping.json"));
}

function stagesFolder(cacheDir: string): string {
    const kwok = RECIPES.find(({ module }) => module === "kwok")!;
    return `${binFolder(cacheDir, kwok)}-stages`;
}

function kwokStagesFilling(cacheDir: string): Filling {
    const folder = stagesFolder(cacheDir);
    return {
        name: "Kubernetes test bed, stages of kwok",
        takes: "a few seconds",
        folders: [folder],
        async make(draft) {
            const source = path.join(draft, "source");
            fs.cpSync(path.join(MODULES, "kwok"), source, { recursive: true });
            const stages = path.join(await moduleFolder(KWOK_MODULE, source), "kustomize/stage");
            const made = path.join(draft, "stages");
            fs.mkdirSync(made);
            for (const stage of STAGES) {
                for (const name of fs.readdirSync(path.join(stages, stage))) {
                    if (/^(kustomization|storage-class)/.test(name) || !name.endsWith(".yaml")) continue;
                    const content = fs.readFileSync(path.join(stages, stage, name));
                    fs.writeFileSync(path.join(made, `${stage.replace("/", "-")}-${name}`), content);
                }
            }
            return { [folder]: made };
        },
    };
}

/** The plugin that Pulumi's own command installs; undefined where the vendor cannot be reached. */
async function vendorPluginDir(
    cacheDir: string,
    pulumi: { binDir: string; home: string },
    report: Report,
): Promise<string | undefined> {
    const plugin = RECIPES.find(({ module }) => module === "plugin")!;
    if (onPath(plugin) || fs.existsSync(binFolder(cacheDir, plugin))) return undefined;
    const folder = path.join(pulumi.home, "plugins", `resource-kubernetes-v${KUBERNETES_PLUGIN_VERSION}`);
    if (fs.existsSync(path.join(folder, "pulumi-resource-kubernetes"))) return folder;
    if (!(await isDownloadReachable())) return undefined;
    const { code, output } = await tryCommand(
        path.join(pulumi.binDir, "pulumi"),
        ["plugin", "install", "resource", "kubernetes", KUBERNETES_PLUGIN_VERSION],
        { env: { PULUMI_HOME: pulumi.home, PULUMI_SKIP_UPDATE_CHECK: "true" } },
    );
    if (code === 0) return folder;
    report(
        `Kubernetes plugin: the download failed (${output.trim().split("\n").at(-1)}); building it instead`,
    );
    return undefined;
}

function kubernetesVersionFlags(): string {
    const [major, minor] = KUBERNETES_VERSION.split(".");
    const values = [
        ["k8s.io/component-base/version", "gitVersion", `v${KUBERNETES_VERSION}`],
        ["k8s.io/component-base/version", "gitMajor", major],
        ["k8s.io/component-base/version", "gitMinor", minor],
        ["k8s.io/component-base/version", "gitTreeState", "clean"],
        ["k8s.io/component-base/version", "buildDate", "2026-01-01T00:00:00Z"],
        ["k8s.io/client-go/pkg/version", "gitVersion", `v${KUBERNETES_VERSION}`],
        ["k8s.io/client-go/pkg/version", "gitMajor", major],
        ["k8s.io/client-go/pkg/version", "gitMinor", minor],
    ];
    return `-s -w ${values.map(([pkg, name, value]) => `-X ${pkg}.${name}=${value}`).join(" ")}`;
}
