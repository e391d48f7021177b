#!/usr/bin/env node
// `pulumi-resource-fluss`, as the engine starts it: prints its port as the only line, and serves until it is ended.
import { createRequire } from "node:module";
import process from "node:process";
import { hostedComponents } from "./components/index.ts";
import { engineAddress } from "./engine-address.ts";
import { flussProvider } from "./provider.ts";
import { serve } from "./serve.ts";
import { hostedTypes } from "./types.ts";

const { version } = createRequire(import.meta.url)("pulumi-fluss/package.json") as { version: string };
const engine = engineAddress(process.argv.slice(2));
const served = await serve(
    flussProvider({ types: hostedTypes(), components: hostedComponents(), version, engine }),
);
process.stdout.write(`${served.port}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void served.close().then(() => process.exit(0)));
}
