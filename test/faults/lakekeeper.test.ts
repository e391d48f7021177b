import { faultsAtEveryCall } from "./every-call.ts";
import { lakekeeperScenarios } from "./lakekeeper.ts";

faultsAtEveryCall(lakekeeperScenarios);
