import type { Tools } from "../toolchain/types.ts";
import { flinkJobManager, flinkTaskManager, sqlGateway } from "./flink.ts";
import { flussCoordinator, flussTablet } from "./fluss.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";
import type { Started, Supervisor } from "./supervisor.ts";

/** Seconds from the start of each service until it was ready. */
export type Seconds = Record<string, number>;

/** Starts services at the same time; each waits by itself for what it needs. @throws with every failure, after all have settled */
export async function startTogether(supervisor: Supervisor, specs: readonly ServiceSpec[]): Promise<Seconds> {
    const settled = await Promise.allSettled(specs.map((spec) => supervisor.start(spec)));
    const failures = settled.flatMap((result) =>
        result.status === "rejected" ? [messageOf(result.reason)] : [],
    );
    if (failures.length > 0) throw new Error(failures.join("\n\n"));
    const started = settled.map((result) => (result as PromiseFulfilledResult<Started>).value.seconds);
    return Object.fromEntries(specs.map((spec, index) => [spec.name, started[index] ?? 0]));
}

/** Flink's session cluster and its SQL gateway. */
export function startFlink(supervisor: Supervisor, tools: Tools, ports: Ports): Promise<Seconds> {
    const { root } = supervisor;
    const specs = [
        flinkJobManager(tools, ports, root),
        flinkTaskManager(tools, ports, root),
        sqlGateway(tools, ports, root),
    ];
    return startTogether(supervisor, specs);
}

/**
 * Both Fluss servers. ZooKeeper must run; the lake's catalog and the buckets are used only later.
 * @param serverOptions of the model, with the values themselves; see `saslOptions` for users
 */
export function startFluss(
    supervisor: Supervisor,
    tools: Tools,
    ports: Ports,
    serverOptions: Record<string, string>,
): Promise<Seconds> {
    const { root } = supervisor;
    const specs = [
        flussCoordinator(tools, ports, root, serverOptions),
        flussTablet(tools, ports, root, serverOptions),
    ];
    return startTogether(supervisor, specs);
}

function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
