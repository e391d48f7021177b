import * as pulumi from "@pulumi/pulumi";
import { usesPlugin } from "../thin-resource.ts";
import { markOf } from "./owner-mark.ts";

/**
 * The platform, its workspace and namespace. The API token is no part of it: it comes from the environment variable
 * `VV_API_TOKEN`, else from the stack configuration `pulumi-fluss:vvpToken`, else from vvctl's configuration file when
 * that has one for this URL, at the time of each call.
 */
export interface VvpConnectionArgs {
    /** Base URL of the platform (`<VVP_URL>`), without a user, a query or a fragment. Default: the environment variable `VV_API_HOST`, else vvctl's current context. */
    url?: pulumi.Input<string>;
    /** Default: `VV_WORKSPACE`, else `defaultworkspace`, the only one of an installation (quickstart). */
    workspace?: pulumi.Input<string>;
    /** VVP namespace. Default: `VV_NAMESPACE`, else `default`. */
    namespace?: pulumi.Input<string>;
    /** Certificate of the authority that signed the platform's, as PEM text; trusted besides the well-known ones. */
    caCertificate?: pulumi.Input<string>;
    /**
     * Headers of each call, for what stands in front of the platform. They are kept in the state in clear; secret ones
     * belong into the stack configuration `pulumi-fluss:vvpHeaders`, a JSON object.
     */
    headers?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** What all of the platform's resources take. */
export interface CommonArgs {
    /** Where it lives. A new URL is the same object at a new address; another workspace or namespace is another object. */
    connection: pulumi.Input<VvpConnectionArgs>;
}

/** For resources that can take over what exists. */
export interface AdoptArgs {
    /**
     * Takes over an object of that name which exists already and brings it to these arguments. Default false: such an
     * object is an error, unless it bears the mark of this very resource (see `ownerMark`). What was taken over is
     * deleted with the stack like what it made.
     */
    adopt?: pulumi.Input<boolean>;
}

/**
 * What a resource writes on what it makes, to know it again when a run was cut off before Pulumi could record it:
 * organization, project, stack and the resource's own name, in letters that a label may have. The stack configuration
 * `pulumi-fluss:owner` takes the place of the first three: for stacks of one name in several backends that share a
 * namespace of the platform. With the plugin `fluss:owner` comes before it, like all of the plugin's settings.
 */
export function ownerMark(name: string): string {
    const stack = [organization(), pulumi.getProject(), pulumi.getStack()].join("/");
    const namespaces = usesPlugin() ? ["fluss", "pulumi-fluss"] : ["pulumi-fluss"];
    const owners = namespaces.map((namespace) => new pulumi.Config(namespace).get("owner"));
    return markOf(`${owners.find((owner) => owner !== undefined) ?? stack}/${name}`);
}

/** The engine does not always tell one; backends without organizations call it so. */
function organization(): string {
    try {
        return pulumi.getOrganization();
    } catch {
        return "organization";
    }
}
