import {
    CreateUserCommand,
    DeleteAccessKeyCommand,
    DeleteUserCommand,
    GetUserCommand,
    type IAMClient,
    ListAccessKeysCommand,
    ListUserTagsCommand,
    TagUserCommand,
    UntagUserCommand,
    UpdateUserCommand,
} from "@aws-sdk/client-iam";
import type { Value } from "../../../host/values.ts";
import type { ResourceType } from "../resource-type.ts";
import { unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";
import { allTags, tagList, tagOutputs } from "./tags.ts";

/** `aws.iam.User`. A new name makes a new user, since the name is the id. */
export const user: ResourceType<AwsContext> = {
    token: "aws:iam/user:User",
    inputs: ["forceDestroy", "name", "path", "tags"],
    forceNew: ["name"],
    outputs: ["arn", "tagsAll", "uniqueId"],
    unstableOutputs: ["tagsAll"],
    defaults: { forceDestroy: false, path: "/" },
    autoName: { property: "name" },
    async create(aws, { name, path, tags }) {
        const UserName = String(name);
        const answer = await aws
            .iam()
            .send(new CreateUserCommand({ UserName, Path: String(path), Tags: tagList(tags) }));
        const outputs = { arn: answer.User?.Arn, uniqueId: answer.User?.UserId, tagsAll: allTags(tags) };
        return { id: UserName, outputs };
    },
    async read(aws, id) {
        const iam = aws.iam();
        const found = await unlessGone(iam.send(new GetUserCommand({ UserName: id })));
        if (!found?.User) return undefined;
        const { Arn, Path, UserId } = found.User;
        const { Tags } = await iam.send(new ListUserTagsCommand({ UserName: id }));
        return { name: id, path: Path, arn: Arn, uniqueId: UserId, ...tagOutputs(Tags) };
    },
    async update(aws, { id, olds, news }) {
        const iam = aws.iam();
        if (olds["path"] !== news["path"]) {
            await iam.send(new UpdateUserCommand({ UserName: id, NewPath: String(news["path"]) }));
        }
        await replaceTags(iam, id, news["tags"]);
        const present = await iam.send(new GetUserCommand({ UserName: id }));
        return { arn: present.User?.Arn, tagsAll: allTags(news["tags"]) };
    },
    async delete(aws, id, { forceDestroy }) {
        const iam = aws.iam();
        if (forceDestroy === true) await unlessGone(deleteKeys(iam, id));
        await unlessGone(iam.send(new DeleteUserCommand({ UserName: id })));
    },
};

async function replaceTags(iam: IAMClient, UserName: string, tags: Value | undefined): Promise<void> {
    const wanted = tagList(tags);
    const { Tags: present = [] } = await iam.send(new ListUserTagsCommand({ UserName }));
    const TagKeys = present.flatMap(({ Key }) =>
        Key && !wanted.some((tag) => tag.Key === Key) ? [Key] : [],
    );
    if (TagKeys.length > 0) await iam.send(new UntagUserCommand({ UserName, TagKeys }));
    if (wanted.length > 0) await iam.send(new TagUserCommand({ UserName, Tags: wanted }));
}

/** `forceDestroy`: keys that were made outside go too. */
async function deleteKeys(iam: IAMClient, UserName: string): Promise<void> {
    const { AccessKeyMetadata: keys = [] } = await iam.send(new ListAccessKeysCommand({ UserName }));
    for (const { AccessKeyId } of keys) await iam.send(new DeleteAccessKeyCommand({ UserName, AccessKeyId }));
}
