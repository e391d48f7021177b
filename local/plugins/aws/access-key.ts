import {
    CreateAccessKeyCommand,
    DeleteAccessKeyCommand,
    GetAccessKeyLastUsedCommand,
    type IAMClient,
    ListAccessKeysCommand,
    type StatusType,
    UpdateAccessKeyCommand,
} from "@aws-sdk/client-iam";
import type { Properties } from "../../../host/values.ts";
import { IncompleteError, type ResourceType } from "../resource-type.ts";
import { unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";

/** `aws.iam.AccessKey`. The secret part is told once, at creation, and is kept in the (encrypted) state alone. */
export const accessKey: ResourceType<AwsContext> = {
    token: "aws:iam/accessKey:AccessKey",
    inputs: ["status", "user"],
    forceNew: ["user"],
    outputs: ["createDate", "secret"],
    secretOutputs: ["secret"],
    defaults: { status: "Active" },
    validate({ status }) {
        if (status === undefined || status === "Active" || status === "Inactive") return [];
        return [{ property: "status", reason: "must be Active or Inactive" }];
    },
    async create(aws, inputs) {
        const iam = aws.iam();
        const { AccessKey: key } = await iam.send(
            new CreateAccessKeyCommand({ UserName: String(inputs["user"]) }),
        );
        const id = key?.AccessKeyId ?? "";
        const outputs = { createDate: key?.CreateDate?.toISOString(), secret: key?.SecretAccessKey };
        try {
            if (inputs["status"] === "Inactive") await setStatus(iam, id, inputs);
        } catch (error) {
            throw new IncompleteError({ id, outputs }, error);
        }
        return { id, outputs };
    },
    async read(aws, id, last) {
        const iam = aws.iam();
        const owner = last["user"] ?? (await ownerOf(iam, id));
        if (owner === undefined) return undefined;
        const UserName = String(owner);
        const keys = await unlessGone(iam.send(new ListAccessKeysCommand({ UserName })));
        const key = keys?.AccessKeyMetadata?.find(({ AccessKeyId }) => AccessKeyId === id);
        return key && { user: UserName, status: key.Status, createDate: key.CreateDate?.toISOString() };
    },
    async update(aws, { id, news }) {
        await setStatus(aws.iam(), id, news);
        return {};
    },
    async delete(aws, id, { user }) {
        const command = new DeleteAccessKeyCommand({ UserName: String(user), AccessKeyId: id });
        await unlessGone(aws.iam().send(command));
    },
};

async function setStatus(iam: IAMClient, id: string, { user, status }: Properties): Promise<void> {
    await iam.send(
        new UpdateAccessKeyCommand({
            UserName: String(user),
            AccessKeyId: id,
            Status: status as StatusType,
        }),
    );
}

/** On an import only the key's id is known. */
async function ownerOf(iam: IAMClient, AccessKeyId: string): Promise<string | undefined> {
    const used = await unlessGone(iam.send(new GetAccessKeyLastUsedCommand({ AccessKeyId })));
    return used?.UserName;
}
