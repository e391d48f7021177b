import { isObject, type Properties, type Value } from "../../../host/values.ts";

export interface Tag {
    Key: string | undefined;
    Value: string | undefined;
}

/** Tags as the API takes them. */
export function tagList(tags: Value | undefined): { Key: string; Value: string }[] {
    if (!isObject(tags)) return [];
    return Object.entries(tags).map(([Key, value]) => ({ Key, Value: String(value) }));
}

/** Tags as properties; `undefined` when there are none, so that they equal tags that were not given. */
export function tagOutputs(tags: readonly Tag[] | undefined): {
    tags: Properties | undefined;
    tagsAll: Properties;
} {
    const all = Object.fromEntries((tags ?? []).map((tag) => [tag.Key ?? "", tag.Value ?? ""]));
    return { tags: Object.keys(all).length > 0 ? all : undefined, tagsAll: all };
}

/** `tagsAll` for given tags: the provider adds none of its own here. */
export function allTags(tags: Value | undefined): Properties {
    return isObject(tags) ? tags : {};
}
