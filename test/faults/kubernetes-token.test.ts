import { faultsAtEveryCall } from "./every-call.ts";
import { kubernetesTokenScenarios } from "./kubernetes-token.ts";

faultsAtEveryCall(kubernetesTokenScenarios);
