import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const provider = vvpProviders.vvpDraft;
const v1 = "/api/v1/namespaces/default";
const deployments = "/api/v2/namespaces/default/deployments";
let p: SimulatedPlatform;
let wish: Record<string, unknown>;

beforeEach(async () => {
    p = await simulatedPlatform();
    const target = await p.up(vvpProviders.vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    wish = {
        name: "writer",
        deploymentTargetId: target.state["targetId"],
        sqlScript: "INSERT INTO a SELECT * FROM b",
        mark: "shop-prod-writer-1",
    };
});
afterEach(() => p.close());

const found = async () => (await p.outside("GET", `${v1}/folders/search?keyword=writer`)) as { id: string }[];

describe("a SQL draft", () => {
    test("is made once with the target's id, although the answer gets lost, and then nothing changes", async () => {
        p.simulator.faults.loseNextAnswer("createDraft");
        const held = await p.up(provider, wish);
        expect(await found()).toMatchObject([{ id: held.id }]);
        expect(p.calls("createDraft")).toBe(1);
        expect(await p.up(provider, wish, held)).toBe(held);
        expect((await p.refresh(provider, held))?.state).toEqual(held.state);
        expect(await p.outside("GET", deployments)).toEqual([]);
    });

    test("with a script that is not valid is refused with the place, before it is made", async () => {
        const error = p.up(provider, { ...wish, sqlScript: "INSRT INTO a SELECT 1" });
        await expect(error).rejects.toThrow(/validate the script of draft 'writer'.*line 1:1: .*INSRT/s);
        expect(p.calls("createDraft")).toBe(0);
    });

    test("a changed script is a new draft", async () => {
        const held = await p.up(provider, wish);
        const changed = { ...wish, sqlScript: "INSERT INTO a SELECT * FROM c" };
        expect(await p.replaces(provider, changed, held)).toEqual(["sqlScript"]);
        await provider.delete(held.id, held.state);
        expect(await found()).toEqual([]);
        expect(await p.refresh(provider, held)).toBeUndefined();
    });

    test("that exists is an error without adopt; a cut-off run's is gone on with", async () => {
        const lost = await p.up(provider, wish);
        const stranger = { ...wish, mark: "somebody-else-2" };
        await expect(p.up(provider, stranger)).rejects.toThrow(
            /draft 'writer'.*exists already.*adopt: true/s,
        );
        const held = await p.up(provider, wish);
        expect(await found()).toMatchObject([{ id: held.id }]);
        expect(held.id).not.toBe(lost.id);
        await p.up(provider, { ...stranger, adopt: true });
        expect(await found()).toHaveLength(1);
    });

    test("is deployed once, although the answer gets lost, and takes its deployment with it", async () => {
        p.simulator.faults.loseNextAnswer("deployDraft");
        const held = await p.up(provider, { ...wish, deploy: true });
        const [deployment] = (await p.outside("GET", deployments)) as Record<string, unknown>[];
        expect(deployment).toMatchObject({
            deploymentId: held.state["deploymentId"],
            name: "writer",
            referencedDeploymentDraftId: held.id,
        });
        await p.outside("POST", "/api/v2/namespaces/default/jobs:start", {
            deploymentId: held.state["deploymentId"],
        });
        await provider.delete(held.id, held.state);
        expect(await p.outside("GET", deployments)).toEqual([]);
        expect(await found()).toEqual([]);
    });

    test("that a cut-off run deployed is gone on with: one draft, one deployment, of that draft", async () => {
        await p.up(provider, { ...wish, deploy: true });
        vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const held = await p.up(provider, { ...wish, deploy: true });
        vi.restoreAllMocks();
        expect(await found()).toMatchObject([{ id: held.id }]);
        expect(await p.outside("GET", deployments)).toMatchObject([
            { deploymentId: held.state["deploymentId"], referencedDeploymentDraftId: held.id },
        ]);
    });

    test("whose JARs are missing is kept, and deployed by the next run", async () => {
        const uri = "s3i://vvp/artifacts/namespaces/default/lake.jar";
        const lake = { ...wish, deploy: true, additionalDependencies: [uri] };
        const error = await p.up(provider, lake).catch((caught) => caught);
        expect(error.message).toContain(`no artifact was uploaded to ${uri}`);
        expect(await found()).toMatchObject([{ id: error.id }]);
        const { presignedUrlForPut } = (await p.outside(
            "GET",
            "/artifacts/v1/namespaces/default/artifacts:signature?fileName=lake.jar&fileType=ARTIFACT",
        )) as { presignedUrlForPut: string };
        await fetch(presignedUrlForPut, { method: "PUT", body: "bytes" });
        const held = await p.up(provider, lake, { id: error.id, state: error.properties });
        expect(held.state["deploymentId"]).toEqual(expect.any(String));
    });

    test("whose deployment was deleted outside gets a new one", async () => {
        const deployed = { ...wish, deploy: true };
        const held = await p.up(provider, deployed);
        await p.outside("DELETE", `${deployments}/${String(held.state["deploymentId"])}`);
        const refreshed = await p.refresh(provider, held);
        const again = await p.up(provider, deployed, refreshed);
        expect(again.state["deploymentId"]).not.toBe(held.state["deploymentId"]);
    });
});
