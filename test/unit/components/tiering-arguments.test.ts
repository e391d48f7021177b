import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { ApplicationTieringDeployment } from "../../../components/application-tiering-deployment.ts";
import {
    FlinkTieringDeployment,
    type FlinkTieringDeploymentArgs,
} from "../../../components/flink-tiering-deployment.ts";
import { SessionTieringDeployment } from "../../../components/session-tiering-deployment.ts";
import { TieringDeployment } from "../../../components/tiering-deployment.ts";
import type { Lake } from "../../../model/lake.ts";
import { failuresOf } from "./harness.ts";
import { client, native } from "./kubernetes-tiering.ts";

/** What a program without types hands over: no default is filled in, and names are missing. */
const untyped = {
    catalog: { type: "rest", uri: "http://lk/catalog", auth: { type: "token", token: { value: "sesame" } } },
    storage: { type: "s3", region: "eu-central-1" },
} as unknown as Lake;

const flink = (args: Record<string, unknown>) => (opts: pulumi.ComponentResourceOptions) =>
    new FlinkTieringDeployment(
        "desk",
        {
            namespace: "fluss",
            jarUri: "local:///opt/flink/usrlib/tiering.jar",
            installer: { image: "fluss", clients: [["lake-tiering-service"]] },
            lake: native,
            client,
            ...args,
        } as FlinkTieringDeploymentArgs,
        opts,
    );

describe("a lake that a program put together by itself", () => {
    const platform = {
        connection: {},
        deploymentTarget: "jobs",
        jarUri: "a.jar",
        additionalDependencies: [],
    };
    const session = { cluster: { url: "http://flink:8081" }, jar: "a.jar" };
    const given = { lake: untyped, client: { bootstrapServers: "" } };

    it.each<[string, (opts: pulumi.ComponentResourceOptions) => unknown]>([
        ["the platform", (opts) => new TieringDeployment("desk", { ...platform, ...given }, opts)],
        ["a session cluster", (opts) => new SessionTieringDeployment("desk", { ...session, ...given }, opts)],
        ["the Flink operator", flink(given)],
        [
            "an application cluster",
            (opts) => new ApplicationTieringDeployment("desk", { namespace: "fluss", ...given }, opts),
        ],
    ])("is refused with all its faults and those of the client, on %s", async (_, program) => {
        const told = await failuresOf(program);
        expect(told).toMatch(/3 faults in lake and client/);
        expect(told).toMatch(/lake\.catalog\.warehouse: is required/);
        expect(told).toMatch(/lake\.storage\.bucket: is required/);
        expect(told).toMatch(/client\.bootstrapServers = "": is not host:port/);
        expect(told).not.toContain("sesame");
    });
});

describe("what would start no job on Kubernetes", () => {
    it("is told all at once: cluster, core-site.xml, environment and arguments", async () => {
        const told = await failuresOf(
            flink({
                name: "My Name",
                jarUri: "local:///opt/flink/lib/tiering.jar",
                coreSite: true,
                extraArguments: { "datalake.format": "paimon" },
                client: { ...client, sasl: { username: "fluss", password: { env: "FLUSS_PASSWORD" } } },
            }),
        );
        expect(told).toMatch(/5 faults in the tiering job/);
        expect(told).toMatch(/- name = "My Name": is not a name that the Flink operator takes/);
        expect(told).toMatch(/- jarUri = .*lib folder/);
        expect(told).toMatch(/- coreSite = true: /);
        expect(told).toMatch(/- client\.sasl\.password: FLUSS_PASSWORD would not be in the environment/);
        expect(told).toMatch(/- extraArguments\["datalake\.format"\]: .*is derived/);
    });

    it.each([
        [
            "no client JARs at all",
            { installer: undefined },
            /- installer: Flink's own image has no client JARs/,
        ],
        [
            "no JAR of the tiering service",
            { installer: { image: "fluss", clients: [["fs-s3"]] }, image: "docker.io/library/flink:1.20.3" },
            /- installer\.clients: nobody puts the JAR of the tiering service/,
        ],
    ])("is Flink's own image with %s", async (_, args, fault) => {
        expect(await failuresOf(flink(args))).toMatch(fault);
    });
});

it("a way to hand over secrets that does not exist is refused, and no secret is rendered", async () => {
    const args = { cluster: { url: "http://flink:8081" }, jar: "a.jar", lake: native, client };
    const told = await failuresOf(
        (opts) => new SessionTieringDeployment("desk", { ...args, secrets: "file" as "env" }, opts),
    );
    expect(told).toMatch(
        /- secrets = "file": is no way for secrets to reach this job\. Use one of: value, env/,
    );
    const release = await failuresOf(
        (opts) => new SessionTieringDeployment("desk", { ...args, version: "3" as "1.0" }, opts),
    );
    expect(release).toMatch(/- version = "3": is no release line of Fluss\. Use one of: 0\.9, 1\.0/);
});
