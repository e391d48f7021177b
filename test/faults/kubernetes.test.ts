import { faultsAtEveryCall } from "./every-call.ts";
import { kubernetesScenarios } from "./kubernetes.ts";

faultsAtEveryCall(kubernetesScenarios);
