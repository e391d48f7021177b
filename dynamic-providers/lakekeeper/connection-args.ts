import * as pulumi from "@pulumi/pulumi";
import type { KubernetesAccessArgs } from "../kubernetes/resources.ts";

/** How a Lakekeeper server is reached. */
export interface LakekeeperConnectionArgs {
    /** Base URL as Pulumi reaches it, without `/management` or `/catalog`. A new URL is the same server at a new address. */
    url: pulumi.Input<string>;
    /**
     * Bearer token; kept as a secret, and never a reason for a change. The environment variable `LAKEKEEPER_TOKEN`
     * wins over it; without both, `pulumi-fluss:lakekeeperToken` of the stack's configuration is taken.
     */
    token?: pulumi.Input<string>;
    /** Instead of a token: a client of an OpenID Connect provider (grant `client_credentials`). */
    oidc?: pulumi.Input<LakekeeperOidcArgs>;
    /** Instead of a token: one from a Kubernetes cluster. */
    kubernetes?: pulumi.Input<LakekeeperKubernetesArgs>;
    /** The way to a server whose URL is known inside of a Kubernetes cluster only: through the API server, to a pod. */
    portForward?: pulumi.Input<LakekeeperPortForwardArgs>;
    /**
     * How long an operation on the resource may wait for a server that is slow, too busy or read-only for maintenance,
     * in seconds. Default 600.
     */
    timeoutSeconds?: pulumi.Input<number>;
}

/**
 * Where in a Kubernetes cluster the token is: in a Secret, or made for a ServiceAccount (TokenRequest). It is got when
 * it is needed, again after a 401, and never stored.
 */
export interface LakekeeperKubernetesArgs {
    /** Text of a kubeconfig. Default: what kubectl would take, and in a pod the pod's own service account. */
    kubeconfig?: pulumi.Input<string>;
    /** Default: the kubeconfig's current one. */
    context?: pulumi.Input<string>;
    namespace: pulumi.Input<string>;
    /** Name of the Secret. A new one of type `kubernetes.io/service-account-token` is waited for. */
    secret?: pulumi.Input<string>;
    /** Key in the Secret. Default `token`. */
    key?: pulumi.Input<string>;
    /** Name of the ServiceAccount, instead of a Secret. */
    serviceAccount?: pulumi.Input<string>;
    /** Audience of the ServiceAccount's token. Default: the cluster's own. */
    audience?: pulumi.Input<string>;
    /** Lifetime of the ServiceAccount's token, at least 600. Default 3600. */
    expirationSeconds?: pulumi.Input<number>;
}

/** A Service that is reached as with `kubectl port-forward`, opened once in each run. */
export interface LakekeeperPortForwardArgs {
    access: pulumi.Input<KubernetesAccessArgs>;
    namespace: pulumi.Input<string>;
    service: pulumi.Input<string>;
    /** Port of the pods. */
    port: pulumi.Input<number>;
}

/** A client of an OpenID Connect provider. Its token is got when it is needed and never stored. */
export interface LakekeeperOidcArgs {
    /** For example `https://keycloak.example.com/realms/lake`. */
    issuer: pulumi.Input<string>;
    clientId: pulumi.Input<string>;
    clientSecret: pulumi.Input<string>;
    scope?: pulumi.Input<string>;
}

/** What every Lakekeeper resource takes. */
export interface CommonArgs {
    connection: pulumi.Input<LakekeeperConnectionArgs>;
}

/**
 * Makes the whole connection one secret: so the token is never stored in clear, also when the program did not say that
 * it is secret. (A secret inside of an object that is secret as an output would be encrypted twice.)
 */
export function sealed<T extends CommonArgs>(args: T): T {
    return { ...args, connection: pulumi.secret(args.connection) };
}
