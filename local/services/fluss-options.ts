import { isSecretOption } from "./fluss-secrets.ts";
import { mask } from "./redact.ts";

/** SASL users of the local Fluss servers. */
export interface SaslUsers {
    /** Client users, name to password. */
    clients: Record<string, string>;
    /** The user that the servers use among themselves. */
    internal: { username: string; password: string };
}

/** Server options that demand SASL/PLAIN from clients and between the servers; passwords in clear, as Fluss wants them. */
export function saslOptions(users: SaslUsers): Record<string, string> {
    const { username, password } = users.internal;
    const accounts = Object.entries({ ...users.clients, [username]: password });
    const faults = accounts.flatMap(([name, secret]) => [
        ...(/^[\w-]+$/.test(name) ? [] : [`user ${name}: use only letters, digits, _ and - in the name`]),
        ...(/["\\\s]/.test(secret) ? [`user ${name}: its password holds a quote, backslash or blank`] : []),
    ]);
    if (faults.length > 0) throw new Error(`Fluss cannot read these SASL users: ${faults.join("; ")}.`);
    const list = accounts.map(([name, secret]) => `user_${name}="${secret}"`).join(" ");
    return {
        "security.protocol.map": "FLUSS:SASL, CLIENT:SASL",
        "security.sasl.enabled.mechanisms": "PLAIN",
        "security.sasl.plain.jaas.config": `org.apache.fluss.security.auth.sasl.plain.PlainLoginModule required ${list};`,
        "client.security.protocol": "SASL",
        "client.security.sasl.mechanism": "PLAIN",
        "client.security.sasl.username": username,
        "client.security.sasl.password": password,
    };
}

/**
 * Content of `server.yaml`. Fluss 0.9.1 reads it line by line and not as YAML: it cuts a line at `#`, splits it at
 * the first `: `, drops empty values, and takes `${env:X}` as it stands.
 * @throws with every option that it would misread
 */
export function serverYaml(options: Record<string, string>): string {
    const faults = Object.entries(options).flatMap(([key, value]) => {
        const fault = faultOf(key, value);
        const shown = isSecretOption(key) ? mask : JSON.stringify(value);
        return fault === undefined ? [] : [`${key} = ${shown}: ${fault}`];
    });
    if (faults.length > 0) throw new Error(`Fluss cannot read these server options:\n${faults.join("\n")}`);
    return Object.entries(options)
        .map(([key, value]) => `${key}: ${value}\n`)
        .join("");
}

function faultOf(key: string, value: string): string | undefined {
    if (!/^[\w.-]+$/.test(key)) return "the key holds more than letters, digits, dots, _ and -";
    if (value === "") return "the value is empty; leave the option out instead";
    if (value !== value.trim()) return "the value begins or ends with a blank";
    if (/[#\r\n]/.test(value)) return "the value holds # or a line break, at which Fluss would cut it";
    if (/^\$\{\w+:/.test(value)) return "references are not resolved by Fluss 0.9.1; give the value itself";
    return undefined;
}
