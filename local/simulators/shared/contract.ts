import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";

/** One OpenAPI 3.x document that a simulator serves. */
export interface ContractSource {
    /** Path of the YAML file. */
    file: string;
    /** Put before each path of the document, e.g. `/catalog`; default none. */
    basePath?: string;
}

/** One operation of a contract that a request matched. */
export interface Operation {
    operationId: string;
    /** Values of the path's parameters, percent-decoded. */
    params: Record<string, string>;
    /** How the request's body is sent: `none` when the operation takes no body. */
    bodyKind: "none" | "json" | "form" | "stream";
}

/**
 * OpenAPI documents as a router and as a judge of bodies. Schemas are compiled on first use and kept, so that loading
 * costs no more than reading the YAML. Formats other than `uuid` and `date-time` are not checked. A `writeOnly` property
 * in an answer is a violation: what is write-only (secrets) must never be returned.
 */
export class Contract {
    readonly #routes: Route[] = [];
    readonly #documents = new Map<string, Json>();
    readonly #validators = new Map<string, ValidateFunction>();
    #requestAjv: Ajv2020 | undefined;
    #answerAjv: Ajv2020 | undefined;

    /** Reads the documents; throws when a file is missing, is not YAML, or an operation has no `operationId`. */
    constructor(sources: ContractSource[]) {
        sources.forEach((source, index) => {
            const name = `contract${index}`;
            const document = documentOf(source.file);
            this.#documents.set(name, document);
            for (const [path, item] of Object.entries(object(document["paths"]))) {
                for (const method of METHODS) {
                    if (object(item)[method] === undefined) continue;
                    this.#routes.push(toRoute(source, name, path, method, object(item)));
                }
            }
        });
        // Literal text wins over parameters: `deployments/ids` before `deployments/{deploymentId}`.
        this.#routes.sort(
            (a, b) => a.parameters.length - b.parameters.length || b.template.length - a.template.length,
        );
    }

    /** The operationIds of all documents. */
    get operationIds(): string[] {
        return this.#routes.map((route) => route.operationId);
    }

    /** The operation of a request; `undefined` when no path fits, `"method"` when the path exists with other methods. */
    match(method: string, path: string): Operation | "method" | undefined {
        let pathKnown = false;
        for (const route of this.#routes) {
            const found = route.pattern.exec(path);
            if (!found) continue;
            pathKnown = true;
            if (route.method !== method.toLowerCase()) continue;
            const params: Record<string, string> = {};
            route.parameters.forEach((name, index) => {
                params[name] = decode(found[index + 1] ?? "");
            });
            return { operationId: route.operationId, params, bodyKind: bodyKind(route) };
        }
        return pathKnown ? "method" : undefined;
    }

    /** Faults of a request: missing query parameters and everything that is wrong with its body. Empty when it is fine. */
    checkRequest(operationId: string, query: URLSearchParams, body: unknown): string[] {
        const route = this.#route(operationId);
        const faults = this.#parameters(route)
            .filter((p) => p["in"] === "query" && p["required"] === true && !query.has(String(p["name"])))
            .map((p) => `query parameter ${String(p["name"])} is required`);
        const requestBody = this.#resolve(route, route.operation["requestBody"]);
        const [mediaType] = Object.keys(object(requestBody?.["content"]));
        if (!requestBody || bodyKind(route) === "stream" || mediaType === undefined) return faults;
        if (body === undefined) {
            return requestBody["required"] === true ? [...faults, "a body is required"] : faults;
        }
        const schema = object(object(requestBody["content"])[mediaType])["schema"];
        return [...faults, ...this.#judge(`${operationId} request`, route, schema, body, "request")];
    }

    /** Faults of an answer: a status that the operation does not list, or a body that is not of its schema. */
    checkAnswer(operationId: string, status: number, body: unknown): string[] {
        const route = this.#route(operationId);
        const answers = object(route.operation["responses"]);
        const listed = [String(status), `${String(status)[0]}XX`, "default"].find((key) => key in answers);
        if (listed === undefined) return [`status ${status} is not listed for this operation`];
        const content = object(this.#resolve(route, answers[listed])?.["content"]);
        const json = Object.keys(content).find((type) => type.includes("json"));
        if (json === undefined) {
            return body === undefined ? [] : [`status ${status} has no JSON body in the contract`];
        }
        if (body === undefined) return [`status ${status} needs a body`];
        return this.#judge(
            `${operationId} ${listed}`,
            route,
            object(content[json])["schema"],
            body,
            "answer",
        );
    }

    #route(operationId: string): Route {
        const route = this.#routes.find((candidate) => candidate.operationId === operationId);
        if (!route) throw new Error(`the contract has no operation ${operationId}`);
        return route;
    }

    #judge(key: string, route: Route, schema: unknown, body: unknown, side: "request" | "answer"): string[] {
        if (schema === undefined) return [];
        let validate = this.#validators.get(key);
        if (!validate) {
            validate = this.#ajv(side).compile(absolute(schema, route.document) as object);
            this.#validators.set(key, validate);
        }
        return validate(body) ? [] : (validate.errors ?? []).map(toLine);
    }

    #ajv(side: "request" | "answer"): Ajv2020 {
        const known = side === "request" ? this.#requestAjv : this.#answerAjv;
        if (known) return known;
        const ajv = new Ajv2020({
            strict: false,
            validateSchema: false,
            allErrors: true,
            logger: false,
            formats: { uuid: UUID, "date-time": DATE_TIME },
        });
        if (side === "answer") {
            ajv.removeKeyword("writeOnly");
            ajv.addKeyword({ keyword: "writeOnly", validate: (writeOnly: unknown) => writeOnly !== true });
            this.#answerAjv = ajv;
        } else {
            this.#requestAjv = ajv;
        }
        for (const [name, document] of this.#documents) ajv.addSchema(document, name);
        return ajv;
    }

    #parameters(route: Route): Json[] {
        const list = (value: unknown) => (Array.isArray(value) ? value : []);
        return [...list(route.item["parameters"]), ...list(route.operation["parameters"])].map((parameter) =>
            object(this.#resolve(route, parameter)),
        );
    }

    /** Follows one `$ref` inside the document. */
    #resolve(route: Route, value: unknown): Json | undefined {
        if (value === undefined) return undefined;
        const reference = object(value)["$ref"];
        if (typeof reference !== "string") return object(value);
        let found: unknown = this.#documents.get(route.document);
        for (const part of reference.slice(2).split("/")) {
            found = object(found)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
        }
        return object(found);
    }
}

type Json = Record<string, unknown>;

interface Route {
    document: string;
    operationId: string;
    method: string;
    template: string;
    pattern: RegExp;
    parameters: string[];
    item: Json;
    operation: Json;
}

const METHODS = ["get", "put", "post", "delete", "patch", "head"];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/;

/** Reading YAML takes most of a start: a program that starts several simulators reads each file once. */
const documents = new Map<string, Json>();

function documentOf(file: string): Json {
    const known = documents.get(file);
    if (known) return known;
    const document = object(parse(readFileSync(file, "utf8"), { uniqueKeys: false, prettyErrors: false }));
    documents.set(file, document);
    return document;
}

function object(value: unknown): Json {
    return typeof value === "object" && value !== null ? (value as Json) : {};
}

function toRoute(source: ContractSource, document: string, path: string, method: string, item: Json): Route {
    const operation = object(item[method]);
    const operationId = operation["operationId"];
    if (typeof operationId !== "string") {
        throw new Error(`${source.file}: ${method.toUpperCase()} ${path} has no operationId`);
    }
    const template = `${source.basePath ?? ""}${path}`;
    const parameters: string[] = [];
    const pattern = template.replace(/\{([^}]+)\}|[^{]+/g, (text, name: string | undefined) => {
        if (name === undefined) return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        parameters.push(name);
        return "([^/]+)";
    });
    return {
        document,
        operationId,
        method,
        template,
        pattern: new RegExp(`^${pattern}$`),
        parameters,
        item,
        operation,
    };
}

function bodyKind(route: Route): Operation["bodyKind"] {
    const types = Object.keys(object(object(route.operation["requestBody"])["content"]));
    if (types.length === 0) return route.operation["requestBody"] === undefined ? "none" : "json";
    if (types.some((type) => type.includes("json"))) return "json";
    return types.includes("application/x-www-form-urlencoded") ? "form" : "stream";
}

/** References of a document mean the document, also when a schema is compiled on its own. */
function absolute(schema: unknown, document: string): unknown {
    if (Array.isArray(schema)) return schema.map((part) => absolute(part, document));
    if (typeof schema !== "object" || schema === null) return schema;
    return Object.fromEntries(
        Object.entries(schema).map(([key, value]) =>
            key === "$ref" && typeof value === "string" && value.startsWith("#")
                ? [key, `${document}${value}`]
                : [key, absolute(value, document)],
        ),
    );
}

/** Says where and what, never the offending value, which may be a secret. */
function toLine(error: ErrorObject): string {
    const extra = error.keyword === "enum" ? `: ${JSON.stringify(error.params["allowedValues"])}` : "";
    const where = error.instancePath === "" ? "body" : `body${error.instancePath}`;
    if (error.keyword === "writeOnly") return `${where} is write-only and must not be returned`;
    return `${where} ${error.message ?? error.keyword}${extra}`;
}

function decode(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
