import {
    type Diagnostic,
    type Inputs,
    type Operation,
    type PolicyResult,
    type Preview,
    type PreviewStep,
    readUrn,
    SECRET,
} from "./preview.ts";

/**
 * Reads what `pulumi preview --json` prints: one document, or with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true one event in a
 * line. Only the events tell of policies.
 * @param policies more results of policies, when the text has none
 * @throws when the text is neither
 */
export function readPreview(text: string, policies?: readonly PolicyResult[]): Preview {
    const document = parseObject(text);
    const preview = document && !isEvent(document) ? readDigest(document) : readEvents(eventsOf(text));
    if (policies) preview.policies = [...(preview.policies ?? []), ...policies];
    return withoutLastWord(preview);
}

/** Reads what a stream of events tells of policies. @throws when the text is none */
export function readPolicies(text: string): PolicyResult[] {
    return eventsOf(text).flatMap(policyOf).sort(byPlace);
}

/** What the engine says at the end of every preview that failed, whatever made it fail. */
const lastWord = /^(preview|refresh|update) failed$/;

/**
 * Takes the engine's last word out when what made the preview fail is told elsewhere. When that is a policy alone, the
 * preview came to its end.
 */
function withoutLastWord(preview: Preview): Preview {
    const errors = preview.diagnostics.filter(({ severity }) => severity === "error");
    const reasons = errors.filter(({ message }) => !lastWord.test(message));
    const forbidden = preview.policies?.some(({ level }) => level === "mandatory") === true;
    if (reasons.length === errors.length || (reasons.length === 0 && !forbidden)) return preview;
    return {
        ...preview,
        diagnostics: preview.diagnostics.filter((said) => !errors.includes(said) || reasons.includes(said)),
        complete: preview.complete || reasons.length === 0,
    };
}

interface Json {
    [key: string]: unknown;
}

function readDigest(digest: Json): Preview {
    if (!Array.isArray(digest["steps"]) && !Array.isArray(digest["diagnostics"])) {
        throw new Error("it is JSON, but it has neither steps nor diagnostics");
    }
    const steps = objects(digest["steps"]).map((step) => ({
        op: text(step["op"]),
        urn: text(step["urn"]),
        old: object(step["oldState"]),
        new: object(step["newState"]),
        keys: step["replaceReasons"],
        begins: true,
    }));
    const diagnostics = objects(digest["diagnostics"]).map(diagnosticOf);
    const counts = object(digest["changeSummary"]);
    return assembled(steps, diagnostics, {
        policies: undefined,
        counts,
        complete: !diagnostics.some(({ severity }) => severity === "error"),
    });
}

function readEvents(events: Json[]): Preview {
    const steps: RawStep[] = [];
    for (const event of events) {
        // A refresh learns what it found by the later event.
        for (const name of ["resourcePreEvent", "resOutputsEvent"]) {
            const step = object(object(event[name])?.["metadata"]);
            if (!step) continue;
            steps.push({
                op: text(step["op"]),
                urn: text(step["urn"]),
                old: object(step["old"]),
                new: object(step["new"]),
                keys: step["keys"],
                begins: name === "resourcePreEvent",
            });
        }
    }
    const diagnostics = events.flatMap((event) => {
        const said = object(event["diagnosticEvent"]);
        return said && said["severity"] !== "debug" && said["ephemeral"] !== true ? [diagnosticOf(said)] : [];
    });
    const summary = events.map((event) => object(event["summaryEvent"])).find((one) => one !== undefined);
    const failed =
        summary === undefined ||
        (summary["result"] !== undefined && summary["result"] !== "succeeded") ||
        diagnostics.some(({ severity }) => severity === "error");
    const ranPacks = Object.keys(object(summary?.["PolicyPacks"]) ?? {}).length > 0;
    const findings = events.flatMap(policyOf).sort(byPlace);
    return assembled(steps, diagnostics, {
        policies: ranPacks || findings.length > 0 ? findings : undefined,
        counts: object(summary?.["resourceChanges"]),
        complete: !failed,
    });
}

interface RawStep {
    op: string;
    urn: string;
    old: Json | undefined;
    new: Json | undefined;
    keys: unknown;
    /** False for the event that tells what came of a step. */
    begins: boolean;
}

/** One step for each resource: a replacement comes in several, and the events tell each step twice. */
function assembled(
    raw: RawStep[],
    diagnostics: Diagnostic[],
    { counts, ...rest }: Pick<Preview, "policies" | "complete"> & { counts: Json | undefined },
): Preview {
    const steps = new Map<string, PreviewStep>();
    const refreshed = new Set<string>();
    let stack = { stack: "", project: "" };
    for (const step of raw) {
        if (step.urn === "") continue;
        stack = readUrn(step.urn);
        const before = steps.get(step.urn);
        if (step.op === "refresh") refreshed.add(step.urn);
        else if (step.begins) refreshed.delete(step.urn);
        const op = strongest(before?.op, operationOf(step.op));
        const removes = op === "delete" || op === "replace";
        steps.set(step.urn, {
            op,
            urn: step.urn,
            parent: text(step.new?.["parent"] ?? step.old?.["parent"]) || (before?.parent ?? ""),
            old: partOf(step.old, "inputs") ?? before?.old,
            new: op === "delete" ? undefined : (partOf(step.new, "inputs") ?? before?.new),
            state: partOf(step.old, "outputs") ?? before?.state,
            found: refreshed.has(step.urn) ? partOf(step.new, "outputs") : undefined,
            replaceKeys: texts(step.keys).length > 0 ? texts(step.keys) : (before?.replaceKeys ?? []),
            retain: removes && (step.old?.["retainOnDelete"] === true || before?.retain === true),
        });
    }
    const told = [...steps.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    // The resource of the stack and those of its plugins are nobody's change; Pulumi counts them.
    const shown = told.filter(({ urn }) => !/^pulumi:(pulumi:Stack|providers:)/.test(readUrn(urn).type));
    const untold = (["create", "update", "replace", "delete"] as const)
        .map((op) => numberOf(counts?.[op]) - told.filter((step) => step.op === op).length)
        .reduce((sum, missing) => sum + Math.max(0, missing), 0);
    const same = numberOf(counts?.["same"]);
    return { project: stack.project, stack: stack.stack, steps: shown, diagnostics, same, untold, ...rest };
}

/**
 * The stack's own resources first, then those of each component. The engine tells what does not depend on each other in any
 * order, and a comment that is updated is to keep its own.
 */
function placeOf({ parent, urn }: PreviewStep): string {
    return `${readUrn(parent).type === "pulumi:pulumi:Stack" ? "" : parent}\n${urn}`;
}

const operations: [RegExp, Operation][] = [
    [/^(replace|create-replacement|delete-replaced|discard-replaced)$/, "replace"],
    [/^import/, "import"],
    [/^create$/, "create"],
    [/^update$/, "update"],
    [/^(delete|discard|remove-pending-replace)$/, "delete"],
    [/^read/, "read"],
];

function operationOf(op: string): Operation {
    return operations.find(([pattern]) => pattern.test(op))?.[1] ?? "same";
}

function strongest(one: Operation | undefined, other: Operation): Operation {
    const order: Operation[] = ["replace", "import", "create", "delete", "update", "read", "same"];
    return one === undefined ? other : (order.find((op) => op === one || op === other) ?? other);
}

function partOf(resource: Json | undefined, part: "inputs" | "outputs"): Inputs | undefined {
    const values = object(resource?.[part]);
    return values && (withoutSecrets(values) as Inputs);
}

/** Pulumi's mark of a special value, and its kind "secret" (`sdk/go/common/resource/sig`). */
const MARK = "4dabf18193072939515e22adb298388d";
const SECRET_KIND = "1b47061264138c4ac30d75fd1eb44270";

function withoutSecrets(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withoutSecrets);
    const fields = object(value);
    if (!fields) return value;
    if (fields[MARK] === SECRET_KIND) return SECRET;
    return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, withoutSecrets(field)]));
}

function byPlace(a: PolicyResult, b: PolicyResult): number {
    const [one, other] = [a, b].map(({ policy, urn, message }) => [policy, urn, message].join("\n"));
    return one! < other! ? -1 : 1;
}

function policyOf(event: Json): PolicyResult[] {
    const found = object(event["policyEvent"]);
    if (!found) return [];
    return [
        {
            policy: text(found["policyName"]),
            pack: text(found["policyPackName"]),
            level: text(found["enforcementLevel"]),
            urn: text(found["resourceUrn"]),
            message: plain(text(found["message"])),
        },
    ];
}

function diagnosticOf(said: Json): Diagnostic {
    return {
        urn: text(said["urn"]),
        severity: text(said["severity"]),
        message: plain(text(said["message"])).replace(/^(error|warning): /, ""),
    };
}

/** Without the engine's marks of colour. */
function plain(message: string): string {
    return message.replaceAll(/<\{%[^%]*%\}>/g, "").trim();
}

function eventsOf(lines: string): Json[] {
    const events = lines.split("\n").flatMap((line) => {
        const event = line.startsWith("{") ? parseObject(line) : undefined;
        return event && isEvent(event) ? [event] : [];
    });
    if (events.length > 0) return events;
    throw new Error("it holds neither the document of `pulumi preview --json` nor events, one in a line");
}

function isEvent(value: Json): boolean {
    return typeof value["sequence"] === "number";
}

function parseObject(json: string): Json | undefined {
    try {
        return object(JSON.parse(json));
    } catch {
        return undefined;
    }
}

function object(value: unknown): Json | undefined {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function objects(value: unknown): Json[] {
    return Array.isArray(value) ? value.map(object).filter((one) => one !== undefined) : [];
}

function text(value: unknown): string {
    return typeof value === "string" ? value : "";
}

function texts(value: unknown): string[] {
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function numberOf(value: unknown): number {
    return typeof value === "number" ? value : 0;
}
