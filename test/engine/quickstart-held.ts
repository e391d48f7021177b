/** What the servers of the quickstart stack hold, past Pulumi. */

import {
    GetUserPolicyCommand,
    ListAccessKeysCommand,
    ListUserPoliciesCommand,
    ListUsersCommand,
} from "@aws-sdk/client-iam";
import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { calledPlatform } from "../platform-call.ts";
import { type QuickstartWorld, token } from "./quickstart-world.ts";

/** What the platform, Lakekeeper and AWS hold, with every id, version and time. */
export async function held(world: QuickstartWorld) {
    const ask = (where: string) => calledPlatform(world.vvp, token, "GET", where);
    const [v1, v2] = ["/api/v1/namespaces/default", "/api/v2/namespaces/default"];
    const platform = await Promise.all(
        [
            `${v1}/deployment-targets`,
            `${v1}/sessionclusters`,
            `${v1}/secret-values`,
            "/artifacts/v1/namespaces/default/artifacts:list",
            `${v2}/deployments`,
            "/fluss/api/v1/clusters",
        ].map(ask),
    );
    const warehouses = await fetch(`${world.lakekeeper}/management/v1/warehouse`, {
        headers: { authorization: `Bearer ${token}` },
    });
    const iam = world.emulator.iam();
    const { Buckets = [] } = await world.emulator.s3().send(new ListBucketsCommand({}));
    const users = await lakeUsers(world);
    const policies = await Promise.all(
        users.map(async ({ UserName }) => {
            const { PolicyNames = [] } = await iam.send(new ListUserPoliciesCommand({ UserName }));
            const texts = PolicyNames.map((PolicyName) =>
                iam.send(new GetUserPolicyCommand({ UserName, PolicyName })),
            );
            return (await Promise.all(texts)).map(({ PolicyName, PolicyDocument }) => [
                PolicyName,
                PolicyDocument,
            ]);
        }),
    );
    const keys = await Promise.all(
        users.map(({ UserName }) => iam.send(new ListAccessKeysCommand({ UserName }))),
    );
    return {
        servers: [...platform, await warehouses.json()],
        aws: { buckets: Buckets, users, policies },
        keys: keys.flatMap(({ AccessKeyMetadata = [] }) =>
            AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId),
        ),
    };
}

/** Users but the emulator's administrator. */
export async function lakeUsers(world: QuickstartWorld) {
    const { Users = [] } = await world.emulator.iam().send(new ListUsersCommand({}));
    return Users.filter(({ UserName }) => UserName?.startsWith("desk"));
}

/** Names of all that the answers list. */
export function namesIn(answers: unknown[]): string[] {
    const names = JSON.stringify(answers).matchAll(/"(?:display)?[nN]ame":"([^"]+)"/g);
    return [...new Set([...names].map(([, name = ""]) => name))].sort();
}
