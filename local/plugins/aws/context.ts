import process from "node:process";
import { IAMClient } from "@aws-sdk/client-iam";
import { S3Client } from "@aws-sdk/client-s3";
import { isObject, type Properties } from "../../../host/values.ts";
import { addSteps } from "./call-steps.ts";

/** One configured AWS provider. */
export interface AwsContext {
    region: string;
    /** `aws`, `aws-cn` or `aws-us-gov`. */
    partition: string;
    /** Client for buckets of a region; the provider's when none is given. */
    s3(region?: unknown): S3Client;
    iam(): IAMClient;
    /** Never to be shown. */
    secrets: string[];
}

/**
 * Reads the provider's configuration. The SDK sends everything but texts as JSON text. There must be endpoints:
 * the stand-in does only part of the real plugin's work, so it must not reach a real account by mistake.
 */
export function awsContext(config: Properties): AwsContext {
    const region = textOf(config["region"]) ?? "us-east-1";
    const accessKeyId = textOf(config["accessKey"]);
    const secretAccessKey = textOf(config["secretKey"]);
    const sessionToken = textOf(config["token"]);
    const endpoints = endpointsOf(config);
    // Without keys the clients look where every AWS tool does: environment, then the shared files.
    const keys =
        accessKeyId && secretAccessKey
            ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
            : {};
    const byRegion = new Map<string, S3Client>();
    let iam: IAMClient | undefined;
    return {
        region,
        partition: partitionOf(region),
        secrets: [secretAccessKey, sessionToken].filter((text) => text !== undefined),
        s3(other) {
            const wanted = textOf(other) ?? region;
            let client = byRegion.get(wanted);
            if (!client) {
                const endpoint = required(endpoints, "s3");
                client = new S3Client({ region: wanted, ...keys, endpoint, forcePathStyle: true });
                addSteps(client, endpoint);
                byRegion.set(wanted, client);
            }
            return client;
        },
        iam() {
            if (!iam) {
                const endpoint = required(endpoints, "iam");
                iam = new IAMClient({ region, ...keys, endpoint });
                addSteps(iam, endpoint);
            }
            return iam;
        },
    };
}

/** Takes a secret out of a text. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
}

type Endpoints = Record<string, string>;

function endpointsOf(config: Properties): Endpoints {
    const text = textOf(config["endpoints"]);
    const listed: unknown = text === undefined ? [] : JSON.parse(text);
    const objects = Array.isArray(listed) ? listed.filter(isObject) : [];
    return Object.fromEntries(
        objects.flatMap((object) =>
            Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        ),
    );
}

function required(endpoints: Endpoints, service: string): string {
    const { env } = process;
    const fromEnvironment = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? env["AWS_ENDPOINT_URL"];
    const endpoint = endpoints[service] ?? fromEnvironment;
    if (endpoint) return endpoint;
    throw new Error(
        `no endpoint for ${service}: the stand-in for the aws plugin works against an emulator only. ` +
            `Give the aws.Provider endpoints: [{ ${service}: "http://…" }], or use the real plugin.`,
    );
}

function partitionOf(region: string): string {
    if (region.startsWith("cn-")) return "aws-cn";
    return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

function textOf(value: unknown): string | undefined {
    return typeof value === "string" && value !== "" ? value : undefined;
}
