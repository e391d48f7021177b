import fs from "node:fs";
import path from "node:path";
import { runCommand } from "../toolchain/command.ts";
import { serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** The database's one user, who may do everything in it. */
export interface DatabaseUser {
    name: string;
    password: string;
}

/** Makes the database in `root/postgresql`, once. @throws when `initdb` fails */
export async function makeDatabase(bin: string, root: string, user: DatabaseUser): Promise<void> {
    const folder = databaseFolder(root);
    fs.mkdirSync(folder, { mode: 0o700 });
    const passwordFile = path.join(folder, "password");
    fs.writeFileSync(passwordFile, `${user.password}\n`, { mode: 0o600 });
    if (isRoot()) {
        // That user must reach its folder; the others below root stay closed to everybody.
        fs.chmodSync(root, 0o711);
        for (const file of [folder, passwordFile]) fs.chownSync(file, nobody, nobody);
    }
    const options = [`--username=${user.name}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
    const [command, ...args] = asNobody(folder, [
        path.join(bin, "initdb"),
        `--pgdata=${path.join(folder, "data")}`,
        ...options,
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync",
    ]);
    await runCommand(command, args, { hint: `Check that user ${nobody} may enter ${folder}.` });
    fs.rmSync(passwordFile);
}

/** PostgreSQL over TCP on loopback only. Its data may be lost with the machine's power. */
export function postgresql(bin: string, ports: Ports, root: string, user: DatabaseUser): ServiceSpec {
    const folder = databaseFolder(root);
    const settings = {
        listen_addresses: "127.0.0.1",
        port: String(ports.postgresql),
        unix_socket_directories: "",
        fsync: "off",
    };
    const [command, ...args] = asNobody(folder, [
        path.join(bin, "postgres"),
        ...["-D", path.join(folder, "data")],
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ]);
    return {
        name: serviceNames.postgresql,
        command,
        args,
        env: {},
        files: {},
        secrets: [user.password],
        ready: { tcp: ports.postgresql },
        deadlineSeconds: 60,
    };
}

/** Its location for Java, in the database that `initdb` makes. */
export function postgresqlUri(ports: Ports): string {
    return `jdbc:postgresql://127.0.0.1:${ports.postgresql}/postgres`;
}

const nobody = 65534;

/** PostgreSQL refuses to run as root, and its programs want a working directory that they may enter. */
function asNobody(folder: string, command: [string, ...string[]]): [string, ...string[]] {
    if (!isRoot()) return command;
    const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    return ["/usr/bin/env", "--chdir", folder, "setpriv", ...identity, ...command];
}

function isRoot(): boolean {
    return process.getuid?.() === 0;
}

function databaseFolder(root: string): string {
    return path.join(root, "postgresql");
}
