import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { type Fault, throwFaults, zodFaults } from "../model/faults.ts";
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

/** Fills in passwords. One that is an output is checked when it is known, all of them together. */
export function chartUsers(
    name: string,
    users: FlussUser[] = defaultUsers,
    zookeeper: FlussUser | undefined,
    random: (user: string) => pulumi.Output<string>,
): ChartUsers {
    const keeper = zookeeperUser(zookeeper);
    const named = [
        ...users.map(({ username, password }, index) => ({ username, password, path: `users[${index}]` })),
        { ...keeper, path: "zookeeperUser" },
    ].filter(({ password }) => password !== undefined);
    const checked = pulumi.all(named.map(({ password }) => password!)).apply((texts) => {
        const faults = named.flatMap(({ username, path }, index) =>
            passwordFaults(username, texts[index], `chart.${path}`),
        );
        throwFaults(`the passwords of FlussCluster ${name}`, faults);
        return true;
    });
    const complete = ({ username, password }: FlussUser, label: string) => ({
        username,
        password: pulumi.secret(
            password === undefined ? random(label) : pulumi.all([password, checked]).apply(([text]) => text),
        ),
    });
    return {
        clients: users.map((user, index) => complete(user, index === 0 ? "client" : `client-${index}`)),
        internal: complete({ username: internalUser }, "internal"),
        zookeeper: complete(keeper, "zookeeper"),
    };
}

/** Names that JAAS cannot hold or that are there twice, and passwords that it would change, as far as they are known now. */
export function userFaults(users: FlussUser[] = defaultUsers, zookeeper?: FlussUser): Fault[] {
    const keeper = zookeeperUser(zookeeper);
    const names = users.map(({ username }) => username);
    const known = (user: FlussUser, path: string) =>
        typeof user.password === "string" ? passwordFaults(user.username, user.password, path) : [];
    return [
        ...(names.length === 0
            ? [{ path: "users", reason: "is empty", fix: "Give at least one user, or leave it out" }]
            : []),
        ...users.flatMap(({ username }, index) => nameFaults(username, `users[${index}].username`)),
        ...nameFaults(keeper.username, "zookeeperUser.username"),
        ...names.flatMap((name, index): Fault[] => {
            if (names.indexOf(name) === index && name !== internalUser) return [];
            const reason =
                name === internalUser
                    ? "is the name of the servers' own user"
                    : `names "${name}" twice; of two passwords only the last one counts`;
            const path = `users[${index}].username`;
            return [{ path, value: JSON.stringify(name), reason, fix: "Give every user another name" }];
        }),
        ...users.flatMap((user, index) => known(user, `users[${index}]`)),
        ...known(keeper, "zookeeperUser"),
    ];
}

/** ZooKeeper's user with its default. */
export function zookeeperUser(user: FlussUser = { username: "zookeeper" }): FlussUser {
    return user;
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

const defaultUsers: FlussUser[] = [{ username: "fluss" }];

function nameFaults(name: string, path: string): Fault[] {
    const { error } = saslUsername.safeParse(name);
    return error ? zodFaults(error, name, path) : [];
}

/** Named by the user, without the password. */
function passwordFaults(username: string, password: unknown, path: string): Fault[] {
    if (saslPassword.safeParse(password).success) return [];
    const reason = `the password of user "${username}" must not be empty or contain ", \\ or control characters: JAAS would read another one`;
    return [
        {
            path: `${path}.password`,
            reason,
            fix: "Generate one from letters, digits and _ - . or leave it out",
        },
    ];
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
