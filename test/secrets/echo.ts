import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A server that passes all on, or repeats what it was sent: the worst that an API can do to a secret. */
export interface Echo {
    url: string;
    /** `refuses`: chosen changes are refused with all that they held; `raves`: chosen reads get that in the place of an answer. */
    does: "passes" | "refuses" | "raves";
    /** How many calls were answered so. */
    readonly echoed: number;
    close(): Promise<void>;
}

/**
 * @param target what stands behind it
 * @param chosen which changes and reads
 * @param status of a refusal
 */
export async function startEcho(target: string, chosen: RegExp, status = 400): Promise<Echo> {
    let echoed = 0;
    const server = http.createServer(async (request, response) => {
        const { method = "GET", url = "/", headers } = request;
        const body = await buffer(request);
        const wanted = method === "GET" ? "raves" : "refuses";
        if (echo.does === wanted && chosen.test(url)) {
            echoed += 1;
            const message = `refused: ${body} ${JSON.stringify(headers)}`;
            // As each of the APIs writes its errors.
            const error = { type: "Refused", message, code: status, stack: [message] };
            const answer = { success: false, message, error, errors: ["Internal server error.", message] };
            response.writeHead(wanted === "raves" ? 200 : status, { "content-type": "application/json" });
            response.end(JSON.stringify(wanted === "raves" ? { name: { sent: message } } : answer));
            return;
        }
        const onward = new URL(url, target);
        const passed = http.request(
            onward,
            { method, headers: { ...headers, host: onward.host } },
            (answer) => {
                response.writeHead(answer.statusCode ?? 502, answer.headers);
                answer.pipe(response);
            },
        );
        passed.on("error", () => response.destroy());
        passed.end(body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const echo: Echo = {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        does: "passes",
        get echoed() {
            return echoed;
        },
        close: () => {
            server.closeAllConnections();
            return new Promise((done) => server.close(() => done()));
        },
    };
    return echo;
}
