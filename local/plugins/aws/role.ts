import {
    CreateRoleCommand,
    DeleteRoleCommand,
    GetRoleCommand,
    type IAMClient,
    ListRoleTagsCommand,
    type Role,
    TagRoleCommand,
    UntagRoleCommand,
    UpdateAssumeRolePolicyCommand,
    UpdateRoleCommand,
} from "@aws-sdk/client-iam";
import type { Properties, Value } from "../../../host/values.ts";
import type { ResourceType } from "../resource-type.ts";
import { unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";
import { presentPolicy, textFailures } from "./policy-text.ts";
import { allTags, tagList, tagOutputs } from "./tags.ts";

/** `aws.iam.Role`. Policies are resources of their own: `aws.iam.RolePolicy`. */
export const role: ResourceType<AwsContext> = {
    token: "aws:iam/role:Role",
    inputs: ["assumeRolePolicy", "description", "maxSessionDuration", "name", "namePrefix", "path", "tags"],
    forceNew: ["name", "namePrefix", "path"],
    outputs: ["arn", "createDate", "tagsAll", "uniqueId"],
    unstableOutputs: ["tagsAll"],
    defaults: { maxSessionDuration: 3600, path: "/" },
    jsonInputs: ["assumeRolePolicy"],
    autoName: { property: "name", prefixInput: "namePrefix" },
    validate: (inputs) => textFailures("assumeRolePolicy", inputs),
    async create(aws, { name, path, assumeRolePolicy, tags, ...others }) {
        const { Role: made } = await aws.iam().send(
            new CreateRoleCommand({
                RoleName: String(name),
                Path: String(path),
                AssumeRolePolicyDocument: String(assumeRolePolicy),
                Tags: tagList(tags),
                ...settings(others),
            }),
        );
        return { id: String(name), outputs: { ...identity(made), tagsAll: allTags(tags) } };
    },
    async read(aws, id, last) {
        const found = await unlessGone(aws.iam().send(new GetRoleCommand({ RoleName: id })));
        if (!found?.Role) return undefined;
        const { Role: present } = found;
        const { Tags } = await aws.iam().send(new ListRoleTagsCommand({ RoleName: id }));
        // The API gives the text as it would stand in an address.
        const text = decodeURIComponent(present.AssumeRolePolicyDocument ?? "");
        return {
            name: id,
            path: present.Path,
            description: present.Description || undefined,
            maxSessionDuration: present.MaxSessionDuration,
            assumeRolePolicy: presentPolicy(text, last["assumeRolePolicy"]),
            ...identity(present),
            ...tagOutputs(Tags),
        };
    },
    async update(aws, { id, olds, news }) {
        const iam = aws.iam();
        if (olds["assumeRolePolicy"] !== news["assumeRolePolicy"]) {
            const PolicyDocument = String(news["assumeRolePolicy"]);
            await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName: id, PolicyDocument }));
        }
        await iam.send(new UpdateRoleCommand({ RoleName: id, ...settings(news) }));
        await replaceTags(iam, id, news["tags"]);
        return { tagsAll: allTags(news["tags"]) };
    },
    async delete(aws, id) {
        await unlessGone(aws.iam().send(new DeleteRoleCommand({ RoleName: id })));
    },
};

function settings({ description, maxSessionDuration }: Properties) {
    return { Description: String(description ?? ""), MaxSessionDuration: Number(maxSessionDuration) };
}

function identity(made: Role | undefined) {
    return { arn: made?.Arn, uniqueId: made?.RoleId, createDate: made?.CreateDate?.toISOString() };
}

async function replaceTags(iam: IAMClient, RoleName: string, tags: Value | undefined): Promise<void> {
    const wanted = tagList(tags);
    const { Tags: present = [] } = await iam.send(new ListRoleTagsCommand({ RoleName }));
    const TagKeys = present.flatMap(({ Key }) =>
        Key && !wanted.some((tag) => tag.Key === Key) ? [Key] : [],
    );
    if (TagKeys.length > 0) await iam.send(new UntagRoleCommand({ RoleName, TagKeys }));
    if (wanted.length > 0) await iam.send(new TagRoleCommand({ RoleName, Tags: wanted }));
}
