import { expect, onTestFinished, test, vi } from "vitest";
import { kubernetesProviders } from "../../../dynamic-providers/kubernetes/index.ts";
import type { Hosted } from "../../../dynamic-providers/resource.ts";
import { kubeconfigOf, type Objects, startKubernetesApi } from "../../faults/kubernetes-api.ts";

/** Ends a guard on a cluster with these objects, and gives what it said. */
async function ended(objects: Objects): Promise<string> {
    const said = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const api = await startKubernetesApi(objects);
    onTestFinished(async () => {
        said.mockRestore();
        await api.close();
    });
    const access = { kubeconfig: kubeconfigOf(api.url) };
    const state = { access, namespace: "lake", release: "desk", drift: [], repairs: 0, mark: "m" };
    await (kubernetesProviders["flussReleaseGuard"] as Hosted).delete("lake/desk", state);
    return said.mock.calls.flat().join("\n");
}

const claim = (name: string, release: string) =>
    [
        `/api/v1/namespaces/lake/persistentvolumeclaims/${name}`,
        { metadata: { name, labels: { "app.kubernetes.io/instance": release } } },
    ] as const;

test("a destroyed release tells which volumes stay, and how to lose them", async () => {
    const claims = [claim("data-tablet-server-1", "desk"), claim("data-tablet-server-0", "desk")];
    expect(await ended(new Map([...claims, claim("data-other-0", "other")]))).toBe(
        "Fluss release desk: it is gone, its data is not: the claims data-tablet-server-0, data-tablet-server-1 stay in namespace lake, " +
            "and the next installation of that name takes them over. " +
            "To lose the data for good: kubectl delete pvc -n lake -l app.kubernetes.io/instance=desk",
    );
});

test("a destroyed release without volumes says so", async () => {
    expect(await ended(new Map())).toBe("Fluss release desk: it is gone, and no volume of it stays");
});
