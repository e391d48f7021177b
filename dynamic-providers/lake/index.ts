import { type Hosted, hosted } from "../resource.ts";
import { lakeEndpoint } from "./endpoint.ts";
import { lakeProgress } from "./progress.ts";

/** The logic of the resources about lakes by the names that users' states hold: never rename or remove one. */
export const lakeProviders: Record<string, Hosted> = {
    lakeEndpoint: hosted(lakeEndpoint),
    lakeProgress: hosted(lakeProgress),
};
