import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { parse, strict } from "../model/faults.ts";
import { saslPassword, saslUsername } from "../model/names.ts";
import type { FlussChartArgs, RegistryLogin } from "./fluss-cluster-chart.ts";

/** A SASL user of the cluster. */
export interface FlussUser {
    /** Letters, digits, `_`, `.` and `-`: other characters break the JAAS file and keep the servers from starting. */
    username: string;
    /** Default: 32 random letters and digits. It must not contain `"`, `\` or a line break, which JAAS changes. */
    password?: pulumi.Input<string>;
}

/** All users with their passwords. */
export interface ChartUsers {
    clients: { username: string; password: pulumi.Output<string> }[];
    internal: { username: string; password: pulumi.Output<string> };
    zookeeper: { username: string; password: pulumi.Output<string> };
}

/** One Secret to be made. */
export interface SecretWish {
    secret: string;
    type: string;
    data: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Who reads it at the start, and so is restarted when it changes; the nodes read theirs whenever they pull an image. */
    readers: ("servers" | "zookeeper")[];
}

/** Checks the users and fills in passwords. Throws a `FaultsError` for names that JAAS cannot hold. */
export function chartUsers(
    users: FlussUser[] = [{ username: "fluss" }],
    zookeeper: FlussUser = { username: "zookeeper" },
    random: (user: string) => pulumi.Output<string>,
): ChartUsers {
    const names = users.map(({ username }) => username);
    parse(
        strict({ users: saslUsername.array().min(1), zookeeper: saslUsername }),
        { users: names, zookeeper: zookeeper.username },
        "chart",
    );
    const twice = names.find((name, index) => names.indexOf(name) !== index || name === internalUser);
    if (twice !== undefined) {
        throw new Error(`chart.users: names "${twice}" twice; of two passwords only the last one counts`);
    }
    const complete = ({ username, password }: FlussUser, label: string) => ({
        username,
        password: pulumi.secret(password === undefined ? random(label) : checked(password, label)),
    });
    return {
        clients: users.map((user, index) => complete(user, index === 0 ? "client" : `client-${index}`)),
        internal: complete({ username: internalUser }, "internal"),
        zookeeper: complete(zookeeper, "zookeeper"),
    };
}

/** The Secrets of the quickstart that are ours; that of the lake's token belongs to the catalog. */
export function secretsOf(
    users: ChartUsers,
    remote: FlussChartArgs["remote"],
    registry: RegistryLogin | undefined,
): SecretWish[] {
    const clients = users.clients.flatMap(({ username, password }, index) => [
        [`client-${index}-username`, pulumi.output(username)] as const,
        [`client-${index}-password`, password] as const,
    ]);
    const { internal, zookeeper } = users;
    return [
        {
            secret: "fluss-sasl-credentials",
            type: "Opaque",
            data: {
                ...Object.fromEntries(clients),
                "internal-username": internal.username,
                "internal-password": internal.password,
            },
            readers: ["servers"],
        },
        {
            secret: "zookeeper-sasl-credentials",
            type: "Opaque",
            data: {
                username: zookeeper.username,
                "client-password": zookeeper.password,
                "server-password": zookeeper.password,
            },
            readers: ["servers", "zookeeper"],
        },
        {
            secret: "fluss-storage-credentials",
            type: "Opaque",
            data:
                "accountKey" in remote
                    ? { "azure-account-key": remote.accountKey }
                    : { "s3-access-key": remote.accessKeyId, "s3-secret-key": remote.secretAccessKey },
            readers: ["servers"],
        },
        ...(registry ? [pullSecret(registry)] : []),
    ];
}

/**
 * Changes when one of the contents does. As a pod annotation it restarts the pods, which the chart does not do;
 * the contents must hold something random (a random password, a salt), so that nobody can find a weak password by trying.
 */
export function rolloutHash(contents: pulumi.Input<object>[]): pulumi.Output<string> {
    const hash = pulumi
        .all(contents)
        .apply((all) => createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 32));
    return pulumi.unsecret(hash);
}

const internalUser = "fluss-internal";

function checked(password: pulumi.Input<string>, label: string): pulumi.Output<string> {
    return pulumi.output(password).apply((text) => {
        if (saslPassword.safeParse(text).success) return text;
        throw new Error(
            `chart: the password of user "${label}" must not be empty or contain ", \\ or control characters: JAAS would read another one`,
        );
    });
}

function pullSecret({ server, username, password }: RegistryLogin): SecretWish {
    const config = pulumi.all([username, password]).apply(([user, word]) => {
        const auth = Buffer.from(`${user}:${word}`).toString("base64");
        return JSON.stringify({ auths: { [server]: { username: user, password: word, auth } } });
    });
    return {
        secret: "registry-credentials",
        type: "kubernetes.io/dockerconfigjson",
        data: { ".dockerconfigjson": config },
        readers: [],
    };
}
