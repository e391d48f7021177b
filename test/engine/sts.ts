/** STS of the emulator, for which the SDK's client is not at hand. */
import { IAMClient } from "@aws-sdk/client-iam";
import type { S3Admin } from "../../local/services/index.ts";
import type { Key } from "./emulator.ts";

/** A short-lived key. */
export interface SessionKey extends Key {
    sessionToken: string;
}

/** Asks STS with that key, for example `{ Action: "AssumeRole", RoleArn, RoleSessionName }`. @throws with STS's answer */
export async function askSts(
    { endpoint, region }: Pick<S3Admin, "endpoint" | "region">,
    key: Key,
    parameters: Record<string, string>,
): Promise<SessionKey> {
    const { protocol, hostname, port, host } = new URL(endpoint);
    const query = { Version: "2011-06-15", ...parameters };
    const signer = await new IAMClient({ endpoint, region, credentials: { ...key } }).config.signer();
    const request = {
        method: "GET",
        protocol,
        hostname,
        port: Number(port),
        path: "/",
        query,
        headers: { host },
    };
    const { headers } = await signer.sign(request, { signingService: "sts", signingRegion: region });
    const answer = await fetch(`${endpoint}/?${new URLSearchParams(query)}`, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    const part = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? "";
    return {
        accessKeyId: part("AccessKeyId"),
        secretAccessKey: part("SecretAccessKey"),
        sessionToken: part("SessionToken"),
    };
}
