/** What somebody else does on a platform, past the stack. */

/** What a platform answered. */
export interface PlatformAnswer {
    ok: boolean;
    status: number;
    text: string;
}

/** Calls a platform with a token, in the workspace that there is without further ado. */
export async function callPlatform(
    url: string,
    token: string,
    method: string,
    where: string,
    body?: unknown,
): Promise<PlatformAnswer> {
    const answer = await fetch(url + where, {
        method,
        headers: {
            authorization: `Bearer ${token}`,
            workspace: "defaultworkspace",
            "content-type": "application/json",
        },
        body: body === undefined ? null : JSON.stringify(body),
    });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
}

/** The same, and fails when the platform refuses. Returns its JSON; an empty object when it says nothing. */
export async function calledPlatform(
    ...call: Parameters<typeof callPlatform>
): Promise<Record<string, unknown>> {
    const { ok, status, text } = await callPlatform(...call);
    const [, , method, where] = call;
    if (!ok) throw new Error(`${method} ${where}: ${status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
}
