import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as z from "zod";

/** A login, and where it was found: that is told, the rest never. */
export interface Login {
    username: string;
    password: string;
    from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The login for a registry or repository, by its host. The first of these that has one:
 * 1. `FLUSS_REGISTRY_USERNAME` and `FLUSS_REGISTRY_PASSWORD`, when `FLUSS_REGISTRY_HOST` names this host;
 * 2. what `docker login` keeps: `$DOCKER_CONFIG/config.json`, by default in `~/.docker`, credential helpers included;
 * 3. what `helm registry login` keeps: `$HELM_REGISTRY_CONFIG`, by default `~/.config/helm/registry/config.json`.
 *
 * So a login never stands in a program, in a state or in arguments, and goes to the host that it is for only.
 * @throws when the variables are not complete, or a file or helper cannot be read
 */
export async function findLogin(host: string, env: Environment = process.env): Promise<Login | undefined> {
    const own = fromVariables(host, env);
    if (own) return own;
    for (const file of loginFiles(env)) {
        const login = await fromFile(file, host, env);
        if (login) return login;
    }
    return undefined;
}

/** What to do about a host that wants a login, or another one. */
export function loginHint(host: string, login: Login | undefined): string {
    const ways = `\`docker login ${host}\` or \`helm registry login ${host}\`, or FLUSS_REGISTRY_HOST=${host} with FLUSS_REGISTRY_USERNAME and FLUSS_REGISTRY_PASSWORD`;
    return login
        ? `${host} does not take the login from ${login.from}, or it may not read this: renew it by ${ways}`
        : `${host} wants a login, and there is none: ${ways}`;
}

/** The header with which a login is sent. */
export function basicHeader({ username, password }: Login): string {
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function fromVariables(host: string, env: Environment): Login | undefined {
    const names = ["FLUSS_REGISTRY_HOST", "FLUSS_REGISTRY_USERNAME", "FLUSS_REGISTRY_PASSWORD"] as const;
    const [own, username, password] = names.map((name) => env[name]);
    if (!own && !username && !password) return undefined;
    if (own && username && password) {
        return own === host ? { username, password, from: names[1] } : undefined;
    }
    const missing = names.filter((name) => !env[name]);
    throw new Error(
        `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set. What to do: set all of ${names.join(", ")}, or none`,
    );
}

function loginFiles(env: Environment): string[] {
    // An empty variable is none: it would name the folder in which this runs.
    const home = env["HOME"] || os.homedir();
    return [
        path.join(env["DOCKER_CONFIG"] || path.join(home, ".docker"), "config.json"),
        env["HELM_REGISTRY_CONFIG"] ||
            path.join(env["XDG_CONFIG_HOME"] || path.join(home, ".config"), "helm/registry/config.json"),
    ];
}

const loginFile = z.object({
    auths: z.record(z.string(), z.object({ auth: z.string().optional() })).default({}),
    credHelpers: z.record(z.string(), z.string()).default({}),
    credsStore: z.string().optional(),
});

async function fromFile(file: string, host: string, env: Environment): Promise<Login | undefined> {
    if (!fs.existsSync(file)) return undefined;
    const keys = host === "docker.io" ? ["https://index.docker.io/v1/", host] : [host, `https://${host}`];
    const { auths, credHelpers, credsStore } = readFile(file);
    for (const key of keys) {
        const auth = auths[key]?.auth;
        if (auth) {
            const text = Buffer.from(auth, "base64").toString();
            const colon = text.indexOf(":");
            return { username: text.slice(0, colon), password: text.slice(colon + 1), from: file };
        }
        // A store is asked for the hosts that were logged in at only: the others are not its own.
        const helper = credHelpers[key] ?? (key in auths ? credsStore : undefined);
        if (helper) return askHelper(helper, key, env);
    }
    return undefined;
}

function readFile(file: string): z.output<typeof loginFile> {
    try {
        return loginFile.parse(JSON.parse(fs.readFileSync(file, "utf8")));
    } catch {
        // Neither the text nor what a parser says of it is shown: it may hold the password.
        throw new Error(
            `the logins at registries, ${file}, cannot be read. What to do: log in again, or correct the file`,
        );
    }
}

/** Docker's credential helpers take the host on the standard input and answer with JSON. */
async function askHelper(helper: string, host: string, env: Environment): Promise<Login> {
    const program = `docker-credential-${helper}`;
    const answer = await new Promise<string>((done, fail) => {
        const child = execFile(program, ["get"], { env, timeout: 30_000 }, (error, stdout) => {
            if (!error) return done(stdout);
            const reason = error.code === "ENOENT" ? "is not on the PATH" : `failed (${error.code})`;
            fail(
                new Error(
                    `the login for ${host} is kept by ${program}, which ${reason}. What to do: log in again, or set the variables FLUSS_REGISTRY_…`,
                ),
            );
        });
        child.stdin?.on("error", () => undefined);
        child.stdin?.end(host);
    });
    try {
        const { Username, Secret } = z
            .object({ Username: z.string(), Secret: z.string() })
            .parse(JSON.parse(answer));
        return { username: Username, password: Secret, from: program };
    } catch {
        throw new Error(`${program} gave no login for ${host}. What to do: log in again`);
    }
}
