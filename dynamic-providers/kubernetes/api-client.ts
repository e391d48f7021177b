import type { Configuration, KubeConfig } from "@kubernetes/client-node";

/** A cluster that hangs must not hang the run. */
const answerSeconds = 30;

/**
 * Makes a client of the cluster's API. Its calls end without an answer after 30 s, where the library's own would wait for minutes,
 * and take no web page for an answer: a login page comes with status 200.
 */
export async function apiClient<T extends object>(
    config: KubeConfig,
    Api: new (configuration: Configuration) => T,
): Promise<T> {
    const { wrapHttpLibrary } = await import("@kubernetes/client-node");
    let made: T | undefined;
    // The library gives what it read of a kubeconfig to nobody but a client.
    config.makeApiClient(
        class {
            constructor({ httpApi, ...rest }: Configuration) {
                const send = async (request: Parameters<typeof httpApi.send>[0]) => {
                    request.setSignal(AbortSignal.timeout(answerSeconds * 1000));
                    const response = await httpApi.send(request).toPromise();
                    const { httpStatusCode: status, headers } = response;
                    if (status < 300 && /^text\/html\b/i.test(headers["content-type"] ?? ""))
                        throw new Error(`a web page came with ${status} instead of an answer of Kubernetes`);
                    return response;
                };
                made = new Api({ ...rest, httpApi: wrapHttpLibrary({ send }) });
            }
        },
    );
    return made!;
}

/** The status of the answer that an error of a client tells; undefined when there was none. */
export function statusOf(error: unknown): number | undefined {
    const { code } = error as { code?: unknown };
    // An ended call has a number of its own.
    return typeof code === "number" && !(error instanceof DOMException) ? code : undefined;
}

/** What there is to say when a call was ended; undefined for any other error. */
export function lateText(error: unknown): string | undefined {
    return error instanceof DOMException && error.name === "TimeoutError"
        ? `no answer within ${answerSeconds} s`
        : undefined;
}
