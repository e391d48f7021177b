import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { accessEffect, loadKubeConfig } from "../../../dynamic-providers/kubernetes/cluster.ts";
import { unknown } from "../../../dynamic-providers/unknown.ts";
import { temporaryRoot } from "../services/fixture.ts";

const kubeconfig = (token: string) =>
    JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443" } }],
        users: [{ name: "u", user: { token } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
    });

afterEach(() => vi.unstubAllEnvs());

describe("the kubeconfig", () => {
    it("is that of the program or the state", async () => {
        const config = await loadKubeConfig({ kubeconfig: kubeconfig("of-the-state") });
        expect(config.getCurrentUser()?.token).toBe("of-the-state");
    });

    it("is the file that PULUMI_FLUSS_KUBECONFIG names, before all others", async () => {
        const file = path.join(temporaryRoot(), "kubeconfig");
        fs.writeFileSync(file, kubeconfig("new"));
        vi.stubEnv("PULUMI_FLUSS_KUBECONFIG", file);
        const config = await loadKubeConfig({ kubeconfig: kubeconfig("of-the-state") });
        expect(config.getCurrentUser()?.token).toBe("new");
    });

    it("is an update when it changes, unless it is not known yet", () => {
        const old = { kubeconfig: "a" };
        expect(accessEffect({ old, new: { kubeconfig: "b" } })).toBe("update");
        expect(accessEffect({ old, new: unknown as never })).toBe("ignore");
        expect(accessEffect({ old, new: { kubeconfig: unknown } })).toBe("ignore");
    });
});
