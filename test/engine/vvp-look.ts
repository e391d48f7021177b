import type { Workspace } from "./vvp-platform.ts";

export type Bag = Record<string, unknown>;

const v1 = "/api/v1/namespaces/default";
const v2 = "/api/v2/namespaces/default";

/** Everything on the platform, by the name that the instances of `vvp-kinds` have: as its own API shows it. */
export async function look({ outside }: Workspace): Promise<Record<string, Bag>> {
    const found: Record<string, Bag> = {};
    const items = async (where: string) => {
        const answer: unknown = await outside("GET", where);
        const list = Array.isArray(answer) ? answer : Object.values(answer as Bag).find(Array.isArray);
        return (list ?? []) as Bag[];
    };
    const named = (object: Bag) =>
        String((object["metadata"] as Bag | undefined)?.["name"] ?? object["name"]);
    for (const where of [
        `${v1}/deployment-targets`,
        `${v1}/sessionclusters`,
        `${v1}/secret-values`,
        "/fluss/api/v1/clusters",
    ]) {
        for (const object of await items(where)) found[named(object)] = object;
    }
    for (const object of await items(`${v2}/deployments?pageSize=100`)) {
        // What was deployed of a draft has the draft's name.
        const ofDraft = object["referencedDeploymentDraftId"] ? "deployed-" : "";
        found[ofDraft + named(object)] = object;
    }
    for (const object of await items("/apitokens/v1/namespaces/default/apitokens")) {
        found[named(object).replace(/^.*\/(.*)-[0-9a-f]{10}$/, "$1")] = object;
    }
    for (const object of await items(`${v2}/savepoints?pageSize=100`)) {
        if (object["description"]) found[String(object["description"])] = object;
    }
    for (const { id } of await items(`${v1}/folders/search?keyword=&artifactKind=SQLSCRIPT`)) {
        const draft = await outside("GET", `${v1}/deployment-drafts/${String(id)}`);
        found[named(draft)] = draft;
    }
    for (const { filename } of await items("/artifacts/v1/namespaces/default/artifacts:list")) {
        const metadata = `/artifacts/v1/namespaces/default/artifacts:getMetadata?filename=${String(filename)}`;
        const { artifact } = await outside("GET", metadata);
        found[String(filename).replace(/\.jar$/, "")] = artifact as Bag;
    }
    return found;
}

const volatile = [
    "modifiedAt",
    "resourceVersion",
    "status",
    "deploymentHasChanged",
    "jobSummary",
    "createTime",
];
const perObject = ["id", "createdAt", "deploymentId", "savepointId", "name", "referencedDeploymentDraftId"];
const perRun = ["jobId", "savepointLocation", "deploymentTargetId", "annotations", "labels"];

/** An object without what moves on its own; `anew` when another one in its place is as good. */
export function settled(object: unknown, anew = false): unknown {
    if (Array.isArray(object)) return object.map((part) => settled(part, anew));
    if (typeof object !== "object" || object === null) return object;
    const drop = anew ? [...volatile, ...perObject, ...perRun] : volatile;
    return Object.fromEntries(
        Object.entries(object)
            .filter(([key]) => !drop.includes(key))
            .map(([key, value]) => [key, settled(value, anew)]),
    );
}
