import { type Hosted, hosted } from "../resource.ts";
import { flussEndpoint } from "./endpoint.ts";

/** The logic of the resources about Fluss servers by the names that users' states hold: never rename or remove one. */
export const flussProviders: Record<string, Hosted> = {
    flussEndpoint: hosted(flussEndpoint),
};
