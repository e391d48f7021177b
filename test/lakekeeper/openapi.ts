import type { Exchange } from "../../local/simulators/lakekeeper/http.ts";
import { Contract } from "../../local/simulators/shared/index.ts";

/** Lakekeeper's management-open-api.yaml of 0.13.3, which is not part of this repository. */
const file = process.env["LAKEKEEPER_OPENAPI"];
const contract = file ? new Contract([{ file }]) : undefined;

/** Whether there is a document to hold calls against. */
export const hasContract = contract !== undefined;

/** What is not as the document says, until it is asked for. */
const faults: string[] = [];

/** Tells what was found since the last time. */
export function contractFaults(): string[] {
    return faults.splice(0);
}

/** Holds a call and its answer against the document. What it does not describe is not looked at. */
export function holdAgainstContract(exchange: Exchange): void {
    const { method, path, query, body, status, json } = exchange;
    const operation = contract?.match(method, path);
    if (!contract || typeof operation !== "object") return;
    // The 503 of a rename to a taken name is not in the document: the real server answers it all the same.
    if (status === 503) return;
    // It lists no refusals of assignments.
    if (status >= 400 && path.endsWith("/assignments")) return;
    const found = [
        ...(status < 400 ? contract.checkRequest(operation.operationId, query, read(body)) : []),
        ...(json === undefined ? [] : contract.checkAnswer(operation.operationId, status, json)),
    ];
    faults.push(...found.map((fault) => `${method} ${path} ${status}: ${fault}`));
}

/** The names of S3 keys that all servers take; the document has only the newer ones, which 0.11 does not know. */
function read(body: string): unknown {
    return body === ""
        ? undefined
        : JSON.parse(body.replaceAll(/"aws-(access-key-id|secret-access-key)"/g, '"$1"'));
}
