import { awsPlugin } from "./aws/plugin.ts";
import { servePlugin } from "./grpc.ts";
import { randomPlugin } from "./random/plugin.ts";

export interface StandIns {
    /** Value for `PULUMI_DEBUG_PROVIDERS`, by which the engine attaches to them: `aws:40001,random:40002`. */
    debugProviders: string;
    close(): Promise<void>;
}

/**
 * Starts small plugins of ours for the aws and random packages in this process, for machines that cannot get the
 * real ones. They do real work (against an S3 and IAM emulator), but only for the resource types used here.
 */
export async function startStandIns(): Promise<StandIns> {
    const served = [await servePlugin(awsPlugin), await servePlugin(randomPlugin)];
    return {
        debugProviders: served.map(({ name, port }) => `${name}:${port}`).join(","),
        close: async () => {
            await Promise.all(served.map((plugin) => plugin.close()));
        },
    };
}
