import { runPlugin } from "../run.ts";
import { randomPlugin } from "./plugin.ts";

await runPlugin(randomPlugin);
