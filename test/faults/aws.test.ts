import { afterAll } from "vitest";
import { awsScenarios, stopEmulator } from "./aws.ts";
import { faultsAtEveryCall } from "./every-call.ts";

afterAll(stopEmulator);
faultsAtEveryCall(awsScenarios);
