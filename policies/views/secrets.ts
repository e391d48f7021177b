import { isSecretPath } from "../../model/faults.ts";

/** True when an option of this name is a secret, and its value is one and no reference to one. */
export function isClear(key: string, value: string): boolean {
    return isSecretName(key) && !isReference(value);
}

/** True when the name is that of a secret itself, and not of a place where one is kept (`existingSecret`, `passwordKey`). */
export function isSecretName(key: string): boolean {
    if (!isSecretPath(key)) return false;
    return !isAboutSecret.test(key);
}

/** Names of where a secret is kept, how long it is good, and the like. */
const isAboutSecret =
    /^existing|^secret(Key|Ref|Name)?$|(?<=[a-z0-9])(?<!lient)Secret$|Secret(Name|Key|Ref|Namespace)$|[sS]ecrets$|(password|username)Key$|([Ee]nabled|ENABLED|[Nn]ame|NAME|[Uu]r[il]|UR[IL]|[Pp]ath|PATH|[Ff]ile|FILE|[Tt]tl|TTL|[Ss]econds|[-_.]ms|[Tt]ype)$/;

/**
 * True for what is replaced later: `${secret_values.x}`, `${env:X}`, `$(X)`, a template of Helm; and for what is no secret
 * at all, since it is empty or a truth value.
 */
export function isReference(value: string): boolean {
    const bare = value.trim().replace(/^"(.*)"$/, "$1");
    return /^$|^(true|false)$|\$\{[^}]+\}|\$\([A-Za-z_]\w*\)|\$[A-Z_]+\b|\{\{/.test(bare);
}

/** What is a key by its form, whatever it is called; undefined when the text holds none. */
export function keyIn(text: string): string | undefined {
    const kinds: [string, RegExp][] = [
        ["an access key id of AWS", /\b(AKIA|ASIA)[A-Z0-9]{16}\b/],
        ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
        ["a signed token (JWT)", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/],
        ["a user and password in a URL", /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@${}]+:[^\s/@${}]+@/i],
    ];
    return kinds.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Passwords that stand in manuals and charts, so that everybody knows them. */
export function isWellKnown(value: string): boolean {
    return /^(password|passwd|secret|changeme|change-me|admin|administrator|root|test|demo|guest|default|postgres|minio|minioadmin|fluss|flink|lakekeeper|ververica|pulumi|zookeeper|letmein|qwerty|1234\d*|pass(word)?\d{1,4}|password[!.]|(fluss|admin|client|internal|zk|zookeeper|sasl)[-_]?(password|secret|pass|pw))$/i.test(
        value,
    );
}

/** A marker that a manual wants to be replaced: `<CLIENT_PASSWORD>`. */
export function placeholderIn(text: string): string | undefined {
    return /<[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+>|<(?:NAMESPACE|DATABASE|TABLE|CONTAINER|BUCKET)>/.exec(text)?.[0];
}
