import { faultsAtEveryCall } from "./every-call.ts";
import { vvpScenarios } from "./vvp.ts";

faultsAtEveryCall(vvpScenarios.filter(({ name }) => name === "vvpDeployment"));
