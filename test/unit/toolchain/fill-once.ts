// Fills one folder of a cache, for cache.test.ts: node fill-once.ts <cache> <milliseconds that the work takes>
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fill } from "../../../local/toolchain/cache.ts";

const [cacheDir = "", milliseconds = "0"] = process.argv.slice(2);
const folder = path.join(cacheDir, "thing", "1.0");

await fill(
    cacheDir,
    {
        name: "thing",
        takes: "no time",
        folders: [folder],
        async make(draft) {
            const made = path.join(draft, "half-made");
            fs.mkdirSync(made);
            fs.writeFileSync(path.join(made, "first"), "");
            fs.appendFileSync(path.join(cacheDir, "work.log"), `${process.pid}\n`);
            await sleep(Number(milliseconds));
            fs.writeFileSync(path.join(made, "last"), "");
            return { [folder]: made };
        },
    },
    (line) => console.log(line),
);
