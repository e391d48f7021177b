import { expect, it } from "vitest";
import { sqlHint } from "../../../dynamic-providers/flink-sql/hints.ts";
import type { DeploymentCalls } from "../../../dynamic-providers/vvp/deployment-calls.ts";
import type { Job } from "../../../dynamic-providers/vvp/domain.ts";
import { waitHealthy } from "../../../dynamic-providers/vvp/job-waits.ts";

it("a statement that fails at the lake says what is wrong there; Fluss' own errors keep their hints", () => {
    expect(sqlHint("Not authorized: The token is not valid")).toMatch(
        /^the REST catalog does not take the token: give the token/,
    );
    expect(sqlHint("Authentication failed: Invalid username or password")).toMatch(/sasl\.username/);
    expect(
        sqlHint("Leader not found after retry  3 times for table bucket: TableBucket{tableId=42, bucket=0}"),
    ).toMatch(/no leader: .* restart the coordinator, or drop/);
    expect(sqlHint("Insufficient number of network buffers: required 512, but only 506 available.")).toMatch(
        /table\.exec\.iceberg\.infer-source-parallelism\.max/,
    );
    expect(sqlHint("IllegalStateException: Have records for a split that was not registered")).toMatch(
        /issue 3972\): run it again, or read the table's \$lake/,
    );
    for (const missing of [
        "CatalogNotExistException: A catalog with name [desk] does not exist.",
        "DatabaseNotExistException: Database finance does not exist in Catalog desk.",
    ])
        expect(sqlHint(missing)).toMatch(/^correct the name, or make it first/);
    expect(sqlHint("something else")).toBeUndefined();
});

it("a job that fails at the lake says what is wrong there, beside the platform's words", async () => {
    const failure = 'PSQLException: FATAL: password authentication failed for user "iceberg"';
    const job: Job = { id: "j", status: "FAILED", startTime: 0, restarts: 0, failure };
    const api = {
        job: async () => job,
        tail: async () => "",
        client: { clean: (text: string) => text },
    } as unknown as DeploymentCalls;
    const look = { api, deploymentId: "d", name: "tiering", timeoutSeconds: 5, seen: () => undefined };
    const wait = waitHealthy(job, 1, look);
    await expect(wait).rejects.toThrow(failure);
    await expect(wait).rejects.toThrow(/PostgreSQL refuses .*What to do: Check lake\.catalog\.user/);
});
