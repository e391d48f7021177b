import * as z from "zod";
import { ApiError, hasStatus } from "../http/api-error.ts";
import type { LakekeeperClient } from "./client.ts";
import { type Info, isAtLeast, readInfo, versionOf } from "./server-info.ts";

/** The oldest release whose management API is the one that is called here. */
const oldest = "0.10.0";

/**
 * Makes sure that a healthy Lakekeeper answers at the address, by what it says of itself.
 * @throws {ApiError} when nothing answers there, it does not accept the token, or is not healthy
 * @throws {Error} when it is something else, or too old
 */
export async function identify(client: LakekeeperClient): Promise<Info> {
    const info = await readInfo(client).catch(async (error: unknown) => {
        throw isStrange(error) ? new Error(await describeStranger(client, error)) : error;
    });
    if (!isAtLeast(versionOf(info), oldest)) throw new Error(tooOld(client, info));
    const health = await healthOf(client);
    if (health?.state === "error") {
        throw new ApiError({
            system: "Lakekeeper",
            action: "use the server",
            target: `GET ${client.url}/health`,
            status: 503,
            serverMessage: `it is Lakekeeper ${versionOf(info)}, but not healthy: ${health.services}`,
            ambiguous: false,
            hint: "look at the log of its pod, and whether its database answers",
        });
    }
    return info;
}

/**
 * For a preview: why what answers at the address is no Lakekeeper that can be used. Undefined when it is one, and also
 * when nothing answers or the token is not accepted, since this very run may start the server or change its token.
 */
export async function strangerAt(client: LakekeeperClient): Promise<string | undefined> {
    try {
        const info = await readInfo(client);
        return isAtLeast(versionOf(info), oldest) ? undefined : tooOld(client, info);
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return isStrange(error) ? describeStranger(client, error) : undefined;
    }
}

/** An answer that no Lakekeeper gives, in difference to none, a refused token and a server in trouble. */
function isStrange(error: unknown): error is ApiError {
    if (!(error instanceof ApiError) || error.status === undefined) return false;
    return error.status < 500 && error.type === undefined && !hasStatus(error, 401, 403, 408, 429);
}

async function describeStranger(client: LakekeeperClient, error: ApiError): Promise<string> {
    const health = await healthOf(client);
    const beside = health ? ", although /health answers as Lakekeeper's does" : "";
    const { status = 0, serverMessage } = error;
    // Where a redirect leads to says more than any guess.
    const redirect = status >= 300 && status < 400 ? error.hint : undefined;
    const advice =
        redirect ??
        "give the server's base URL, without /catalog or /management; behind an ingress, with the folder that it takes away";
    return (
        `Lakekeeper: what answers at ${client.url} is no Lakekeeper server: GET /management/v1/info gave ${status} ${serverMessage || "empty answer"}${beside}.\n` +
        `What to do: ${advice}`
    );
}

function tooOld(client: LakekeeperClient, info: Info): string {
    return (
        `Lakekeeper: the server at ${client.url} is ${versionOf(info)}, older than ${oldest}.\n` +
        "What to do: upgrade it; its management API was another one"
    );
}

const healthAnswer = z.looseObject({
    health: z.string(),
    services: z
        .record(z.string(), z.array(z.looseObject({ name: z.string(), status: z.string() })))
        .default({}),
});

/** Undefined where there is no such path: an ingress may let only the API through. */
async function healthOf(
    client: LakekeeperClient,
): Promise<{ state: "ok" | "error"; services: string } | undefined> {
    try {
        const { json } = await client.send({
            method: "GET",
            path: "/health",
            action: "read the server's health",
            deadlineSeconds: 30,
        });
        const parsed = healthAnswer.safeParse(json);
        if (!parsed.success) return undefined;
        const { health, services } = parsed.data;
        const bad = Object.entries(services).flatMap(([service, checks]) =>
            checks.filter(({ status }) => status === "error").map(({ name }) => `${service} (${name})`),
        );
        return { state: health === "error" ? "error" : "ok", services: bad.join(", ") || health };
    } catch (error) {
        // From 0.13 on a server in trouble answers 503 here.
        if (hasStatus(error, 503)) return { state: "error", services: error.serverMessage };
        if (error instanceof ApiError) return undefined;
        throw error;
    }
}
