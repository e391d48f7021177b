import { once } from "node:events";
import net from "node:net";
import { describe, expect, it } from "vitest";
import { flussHealthByPort } from "../../../local/simulators/vvp/index.ts";
import { bench, closeAfterEach, DEPLOYMENTS, ENGINE, TARGETS } from "./harness.ts";

closeAfterEach();
const V1 = "/api/v1/namespaces/default";
const DRAFTS = `${V1}/deployment-drafts`;
const VALIDATE = "/sql/v1beta1/namespaces/default/sqlscripts:light-validate";

async function folderAndTarget() {
    const it = await bench();
    const target = { metadata: { name: "target" }, spec: { kubernetes: { namespace: "fluss-quickstart" } } };
    const made = await it.call("POST", TARGETS, target);
    const folder = await it.call("GET", `${V1}/folders/roots/folder/development`);
    return {
        ...it,
        parentId: folder.body.metadata.id as string,
        targetId: made.body.metadata.id as string,
    };
}

const draft = (parentId: string, deploymentTargetId: string, additionalDependencies: string[] = []) => ({
    metadata: { name: "writer", parentId },
    spec: {
        deploymentTargetId,
        template: {
            spec: {
                artifact: {
                    kind: "SQLSCRIPT",
                    sqlScript: "INSERT INTO a SELECT * FROM b",
                    versionName: ENGINE,
                    additionalDependencies,
                },
                batchMode: false,
            },
        },
    },
});

describe("drafts", () => {
    it("are made under the root folder with the target's id, found, and deleted", async () => {
        const { call, parentId, targetId } = await folderAndTarget();
        const nowhere = "00000000-0000-4000-8000-000000000000";
        expect((await call("POST", DRAFTS, draft(parentId, nowhere))).status).toBe(400);
        expect((await call("POST", DRAFTS, draft(nowhere, targetId))).status).toBe(400);
        const made = await call("POST", DRAFTS, draft(parentId, targetId));
        expect(made.status).toBe(201);
        expect((await call("POST", DRAFTS, draft(parentId, targetId))).status).toBe(409);
        const { id } = made.body.metadata;
        const found = await call("GET", `${V1}/folders/search?keyword=writ&artifactKind=SQLSCRIPT`);
        expect(found.body).toEqual([{ id, type: "DRAFT", name: "writer" }]);
        expect((await call("DELETE", `${DRAFTS}/${id}`)).status).toBe(200);
        expect((await call("GET", `${DRAFTS}/${id}`)).status).toBe(404);
    });

    it("become deployments with their script and JARs; missing JARs are told", async () => {
        const { call, parentId, targetId, upload } = await folderAndTarget();
        const missing = "s3i://vvp/artifacts/namespaces/default/lake.jar";
        const made = await call("POST", DRAFTS, draft(parentId, targetId, [missing]));
        const deploy = () =>
            call("POST", `${DRAFTS}:deploy`, {
                draft: made.body,
                deploymentTargetInfo: { deploymentTargetId: targetId },
            });
        const refused = await deploy();
        expect(refused.body).toMatchObject({ success: false });
        expect(refused.text).toContain(`no artifact was uploaded to ${missing}`);
        expect(await upload("lake.jar")).toBe(missing);
        const { deploymentId } = (await deploy()).body.commitResult.deployment;
        const deployment = await call("GET", `${DEPLOYMENTS}/${deploymentId}`);
        expect(deployment.body.data).toMatchObject({
            name: "writer",
            referencedDeploymentDraftId: made.body.metadata.id,
            artifact: { sqlArtifact: { additionalDependencies: [missing] } },
        });
    });

    it("validate by form", async () => {
        const { call } = await bench();
        const validate = async (statement: string) =>
            (await call("POST", VALIDATE, { statement, lightValidateType: "DRAFT" })).body;
        expect(await validate("INSERT INTO a SELECT 1")).toEqual({
            validationResult: "VALIDATION_RESULT_VALID_INSERT_QUERY",
        });
        expect(await validate("CREATE DATABASE d")).toEqual({
            validationResult: "VALIDATION_RESULT_VALID_DDL_STATEMENT",
        });
        expect(await validate("INSRT INTO a SELECT 1")).toMatchObject({
            validationResult: "VALIDATION_RESULT_INVALID",
            errorDetails: [{ lineNumber: 1, message: expect.stringContaining("INSRT") }],
        });
    });
});

describe("the Fluss Console", () => {
    const CLUSTERS = "/fluss/api/v1/clusters";
    const cluster = {
        name: "fluss",
        bootstrapEndpoint: "coordinator-server-hs.fluss:9124",
        authProtocol: "SASL",
        username: "admin",
        password: "hush-console-1",
    };

    it("is off by default", async () => {
        const { call } = await bench();
        expect((await call("GET", CLUSTERS)).status).toBe(404);
        expect((await call("GET", "/fluss")).status).toBe(404);
    });

    it("keeps registrations and never gives the password", async () => {
        const { call } = await bench({ flussConsole: true });
        expect((await call("GET", "/fluss")).status).toBe(200);
        const made = await call("POST", CLUSTERS, cluster);
        expect(made.status).toBe(201);
        expect((await call("POST", CLUSTERS, cluster)).status).toBe(409);
        const { password: _, ...noPassword } = cluster;
        expect((await call("POST", CLUSTERS, { ...noPassword, name: "other" })).status).toBe(400);
        const { id } = made.body;
        const moved = { ...cluster, bootstrapEndpoint: "elsewhere:9124" };
        expect((await call("PUT", `${CLUSTERS}/${id}`, moved)).status).toBe(200);
        const read = await call("GET", `${CLUSTERS}/${id}`);
        expect(read.body).toMatchObject({ bootstrapEndpoint: "elsewhere:9124", status: "UNKNOWN" });
        expect((await call("GET", `${CLUSTERS}/${id}`)).body).toMatchObject({ status: "HEALTHY" });
        expect(read.text).not.toContain(cluster.password);
        expect((await call("DELETE", `${CLUSTERS}/${id}`)).status).toBe(204);
        expect((await call("GET", CLUSTERS)).body.items).toEqual([]);
    });

    it("shows a cluster as healthy when its port takes a connection, and only then", async () => {
        const server = net.createServer().listen(0, "127.0.0.1");
        await once(server, "listening");
        const endpoint = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
        const { call } = await bench({
            flussConsole: true,
            transitionReads: 0,
            flussHealth: flussHealthByPort,
        });
        const made = await call("POST", CLUSTERS, { ...cluster, bootstrapEndpoint: endpoint });
        expect(made.body).toMatchObject({ status: "HEALTHY" });
        server.close();
        const read = await call("GET", `${CLUSTERS}/${made.body.id}`);
        expect(read.body).toMatchObject({ status: "UNHEALTHY" });
    });
});
