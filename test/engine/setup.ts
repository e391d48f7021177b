import { ensureTools } from "../../local/toolchain/index.ts";

/** Before the first engine test: the Pulumi CLI and the emulator. */
export async function setup(): Promise<void> {
    await ensureTools(console.error);
}
