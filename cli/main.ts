#!/usr/bin/env node
// `npx pulumi-fluss tables pull …`
import { run } from "./run.ts";

process.exitCode = await run(process.argv.slice(2), process.env, {
    out: (text) => void process.stdout.write(text),
    error: (line) => console.error(line),
});
