import { runPlugin } from "../run.ts";
import { awsPlugin } from "./plugin.ts";

await runPlugin(awsPlugin);
