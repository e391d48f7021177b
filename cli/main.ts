#!/usr/bin/env node
// `npx pulumi-fluss <command> …`
import { text } from "node:stream/consumers";
import { run } from "./run.ts";

process.exitCode = await run(process.argv.slice(2), process.env, {
    out: (output) => void process.stdout.write(output),
    error: (line) => console.error(line),
    input: () => text(process.stdin),
});
