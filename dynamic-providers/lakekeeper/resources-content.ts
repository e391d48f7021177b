import type * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { type CommonArgs, sealed } from "./connection-args.ts";

/** Arguments of {@link LakekeeperNamespace}. */
export interface LakekeeperNamespaceArgs extends CommonArgs {
    /** `id` of the warehouse. */
    warehouseId: pulumi.Input<string>;
    /** One name, or the names from the outermost to the innermost. Final. */
    namespace: pulumi.Input<string> | pulumi.Input<pulumi.Input<string>[]>;
    /** Properties that this resource keeps; what others set beside is left alone. */
    properties?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Where new tables go. Final. Default: the server's choice. */
    location?: pulumi.Input<string>;
    /** Lakekeeper's own protection from deletion, by whomever. Default false. */
    protected?: pulumi.Input<boolean>;
    /** Takes over a namespace that exists. Default false. */
    adopt?: pulumi.Input<boolean>;
    /** Refuses to drop or replace it. Default true. */
    deletionProtection?: pulumi.Input<boolean>;
}

/** A namespace of a warehouse. It is dropped only when it is empty. */
export class LakekeeperNamespace extends ThinResource {
    /** The names from the outermost to the innermost. */
    declare readonly namespace: pulumi.Output<string[]>;
    /** The server's own id, which grants name. */
    declare readonly namespaceId: pulumi.Output<string>;
    /** True when the namespace was there before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: LakekeeperNamespaceArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakekeeperNamespace"), name, sealed(args), opts);
    }
}

/** Arguments of {@link LakekeeperTaskQueue}. */
export interface LakekeeperTaskQueueArgs extends CommonArgs {
    /** `id` of the warehouse; left out for `task_log_cleanup`. Final. */
    warehouseId?: pulumi.Input<string>;
    /** Project of the queue `task_log_cleanup`. Final. Default: the server's default project. */
    projectId?: pulumi.Input<string>;
    /**
     * Of a warehouse `tabular_expiration` (`soft_deletion` on newer servers, either name works) or `tabular_purge`; of a
     * project `task_log_cleanup` (0.11 and newer). Final.
     */
    queue: pulumi.Input<string>;
    /**
     * What the queue takes beside the limit: `task_log_cleanup` takes `cleanup-period` and `retention-period` as ISO 8601
     * durations (`P1D`), the others nothing. Default empty.
     */
    config?: pulumi.Input<Record<string, unknown>>;
    /** A task that gave no sign of life for so long is started again. Default: the server's. */
    maxSecondsSinceLastHeartbeat?: pulumi.Input<number>;
}

/** Settings of a queue of background tasks, of a warehouse or of a project. Deleting it brings the server's defaults back. */
export class LakekeeperTaskQueue extends ThinResource {
    /** The queue as this server calls it. */
    declare readonly queueName: pulumi.Output<string>;

    constructor(name: string, args: LakekeeperTaskQueueArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakekeeperTaskQueue"), name, sealed(args), opts);
    }
}
