import * as aws from "@pulumi/aws";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { StreamingLakehouseArgs } from "../components/streaming-lakehouse.ts";
import type { StackConfig } from "../model/stack-config.ts";

/** Where the stack's Lakekeeper comes from: the one that the configuration names, or the chart. */
export function lakekeeperOf(config: StackConfig): StreamingLakehouseArgs["lakekeeper"] {
    const { warehouse } = config;
    if (config.lakekeeperSource === "existing") {
        return {
            // The schema has seen to it that both are there.
            url: config.lakekeeperUrl!,
            internalUrl: config.lakekeeperInternalUrl,
            token: pulumi.secret(config.lakekeeperToken!),
            warehouse,
        };
    }
    const { lakekeeperChartUsername: username, lakekeeperChartPassword: password } = config;
    return {
        chart: {
            ...placeOf(config),
            version: config.lakekeeperChartVersion,
            repository: config.lakekeeperChartRepository,
            storageSize: config.lakekeeperStorageSize,
            ...(username && password ? { login: { username, password: pulumi.secret(password) } } : {}),
        },
        warehouse,
        ...(config.destroyContents ? { drain: { deadlineSeconds: 60, purge: true } } : {}),
    };
}

/** Where the stack's Fluss cluster comes from. */
export function flussOf(config: StackConfig): StreamingLakehouseArgs["fluss"] {
    const { clientUsername = "fluss", clientPassword, zookeeperPassword } = config;
    if (config.flussSource === "existing") {
        return {
            existing: {
                bootstrapServers: config.flussBootstrapServers!,
                clientUsername,
                clientPassword: pulumi.secret(clientPassword!),
            },
        };
    }
    const { imageRegistry: server, imageRegistryUsername: username, imageRegistryPassword } = config;
    const withPassword = (user: string, password: string | undefined) => ({
        username: user,
        ...(password === undefined ? {} : { password: pulumi.secret(password) }),
    });
    return {
        chart: {
            ...placeOf(config),
            chart: {
                kind: config.flussChart,
                location: config.flussChartLocation,
                version: config.flussChartVersion ?? config.flussVersion,
                image: config.flussImage,
            },
            users: [withPassword(clientUsername, clientPassword)],
            zookeeperUser: withPassword("zookeeper", zookeeperPassword),
            zookeeperAddress: config.zookeeperAddress,
            tabletServers: config.tabletServers,
            tabletStorageSize: config.tabletStorageSize,
            zookeeperStorageSize: config.zookeeperStorageSize,
            overrides: config.flussOverrides,
            settings: config.flussSettings,
            ...(server && username
                ? { registry: { server, username, password: pulumi.secret(imageRegistryPassword!) } }
                : {}),
        },
    };
}

/** The providers of AWS and, when Helm installs anything, of Kubernetes. */
export function providersOf(config: StackConfig): Record<string, pulumi.ProviderResource> {
    // The buckets go where the warehouse and the servers look for them, whatever region the environment names.
    const region = config.awsRegion as aws.Region;
    const { s3Endpoint: s3, kubeconfig, kubernetesContext: context, helmRegistryConfig } = config;
    const store = s3 && {
        endpoints: [{ s3, iam: s3, sts: s3 }],
        s3UsePathStyle: true,
        skipCredentialsValidation: true,
        skipMetadataApiCheck: true,
        skipRequestingAccountId: true,
    };
    const own = new aws.Provider("aws", { region, ...store });
    if (config.lakekeeperSource === "existing" && config.flussSource === "existing") return { aws: own };
    const kubernetes = new k8s.Provider("kubernetes", {
        ...(kubeconfig ? { kubeconfig: pulumi.secret(kubeconfig) } : {}),
        context,
        ...(helmRegistryConfig ? { helmReleaseSettings: { registryConfigPath: helmRegistryConfig } } : {}),
    });
    return { aws: own, kubernetes };
}

function placeOf({
    kubernetesNamespace: namespace,
    kubeconfig,
    kubernetesContext: context,
    storageClass,
}: StackConfig) {
    const access = {
        ...(kubeconfig ? { kubeconfig: pulumi.secret(kubeconfig) } : {}),
        ...(context ? { context } : {}),
    };
    return { namespace, access, storageClass: storageClass! };
}
