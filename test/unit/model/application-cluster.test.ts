import { describe, expect, it } from "vitest";
import {
    type ApplicationClusterSpec,
    applicationClusterObjects,
} from "../../../model/application-cluster.ts";

const spec: ApplicationClusterSpec = {
    name: "fluss-tiering",
    namespace: "fluss",
    environmentSecret: "environment",
    flinkConfiguration: { "execution.checkpointing.interval": "30s" },
    parallelism: 2,
};
const words: [string, string][] = [
    ["datalake.format", "iceberg"],
    ["datalake.iceberg.token", "${env:TOKEN}"],
];

interface Pods {
    strategy: object;
    selector: { matchLabels: Record<string, string> };
    template: {
        metadata: { labels: Record<string, string> };
        spec: {
            containers: [
                { args: string[]; env: { name: string; value: string }[] } & Record<string, unknown>,
            ];
        };
    };
}
const objects = (change: Partial<ApplicationClusterSpec> = {}) =>
    applicationClusterObjects({ ...spec, ...change }, words);
const pods = (object: { spec: object }) => object.spec as Pods;

describe("an application cluster", () => {
    it("runs the job's arguments in its JobManager, and TaskManagers that find it by the Service", () => {
        const { service, jobManager, taskManager } = objects();
        const [main] = pods(jobManager).template.spec.containers;
        const [worker] = pods(taskManager).template.spec.containers;
        expect(main.args).toEqual([
            "standalone-job",
            "--datalake.format",
            "iceberg",
            "--datalake.iceberg.token",
            "${env:TOKEN}",
        ]);
        expect(worker.args).toEqual(["taskmanager"]);
        for (const { env, ...container } of [main, worker]) {
            expect(container).toMatchObject({
                image: "flink:1.20",
                envFrom: [{ secretRef: { name: "environment" } }],
            });
            expect(env).toContainEqual({ name: "JOB_MANAGER_RPC_ADDRESS", value: service.metadata.name });
            expect(env.find(({ name }) => name === "FLINK_PROPERTIES")?.value.split("\n")).toEqual([
                "jobmanager.memory.process.size: 2048m",
                "taskmanager.memory.process.size: 4096m",
                "taskmanager.numberOfTaskSlots: 2",
                "parallelism.default: 2",
                "execution.checkpointing.interval: 30s",
            ]);
        }
        expect(service.spec).toMatchObject({ selector: pods(jobManager).template.metadata.labels });
        expect(pods(jobManager).selector.matchLabels).not.toEqual(pods(taskManager).selector.matchLabels);
        expect(pods(jobManager).strategy).toEqual({ type: "Recreate" });
    });

    it("gives its pods the memory that Flink is told of", () => {
        const [container] = pods(objects({ jobManager: { cpu: 0.5, memory: "4g" } }).jobManager).template.spec
            .containers;
        const amount = { cpu: "0.5", memory: "4Gi" };
        expect(container["resources"]).toEqual({ requests: amount, limits: amount });
    });

    it("is refused with every fault: options that break out, markers that nobody replaces", () => {
        const wrong = () =>
            applicationClusterObjects({ ...spec, flinkConfiguration: { a: "b\nc: d", e: "$(TOKEN)" } }, [
                ["datalake.iceberg.token", "${secret_values.token}"],
            ]);
        expect(wrong).toThrow(/3 faults in the application cluster:/);
        expect(wrong).toThrow(/flinkConfiguration\.a: has a line break[\s\S]*flinkConfiguration\.e/);
        expect(() => applicationClusterObjects({ ...spec, image: "", jarUri: "x" } as never, [])).toThrow(
            /there is no setting "jarUri" here/,
        );
    });
});
