import { faultsAtEveryCall } from "./every-call.ts";
import { vvpScenarios } from "./vvp.ts";

// The deployment alone takes as long as all others: it has a file, and with it a processor, of its own.
faultsAtEveryCall(vvpScenarios.filter(({ name }) => name !== "vvpDeployment"));
