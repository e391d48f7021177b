/** The components that programs in other languages can make, with the form of their arguments. */

import type * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { SchemaProperty } from "../schema.ts";
import { flussTables } from "./fluss-tables.ts";
import { lakekeeperCatalog } from "./lakekeeper-catalog.ts";
import { streamingLakehouse } from "./streaming-lakehouse.ts";
import { tieringDeployment } from "./tiering-deployment.ts";

/** A component of the provider `fluss`. */
export interface HostedComponent {
    /** `fluss:index:FlussTables`. */
    token: string;
    description: string;
    /** What the program gives; see {@link given} for what may be an output. */
    inputs: z.ZodObject;
    /** What it gives to the program. */
    outputs: Record<string, SchemaProperty>;
    /** Makes the component in the program that runs. Loads Pulumi's SDK, which the provider does without otherwise. */
    make(
        name: string,
        inputs: Record<string, unknown>,
        opts: pulumi.ComponentResourceOptions,
    ): Promise<MadeComponent>;
}

/** A component that was made. */
export interface MadeComponent {
    component: pulumi.ComponentResource;
    /** Values of its outputs. */
    outputs: Record<string, unknown>;
}

/** The components by their tokens. */
export function hostedComponents(): ReadonlyMap<string, HostedComponent> {
    const all = [flussTables, lakekeeperCatalog, streamingLakehouse, tieringDeployment];
    return new Map(all.map((component) => [component.token, component]));
}
