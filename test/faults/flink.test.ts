import { faultsAtEveryCall } from "./every-call.ts";
import { flinkScenarios } from "./flink.ts";

faultsAtEveryCall(flinkScenarios);
