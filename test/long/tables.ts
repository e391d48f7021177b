// `npm run test:tables:long -- [tables …]`: what a stack of 1,000 tables takes on the real engine, Flink and Fluss. `npm run bench` measures it,
// too. Ends with 1 when a goal is missed.
import { Rows } from "./bench-rows.ts";
import { measureTables } from "./tables-run.ts";

const counts = process.argv.slice(2).map(Number);
const rows = new Rows();
await measureTables(counts.length > 0 ? counts : [1000], rows);
process.exitCode = rows.print() ? 0 : 1;
