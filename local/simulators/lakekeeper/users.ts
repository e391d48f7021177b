import { type Answer, empty, refuse } from "./answers.ts";
import { decodeBody, type Fields } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { page } from "./page.ts";
import type { Store, User } from "./state.ts";

const types = { human: "human", application: "application" } as const;

/** `/user`: who the server knows. */
export function userRoutes(store: Store): Route[] {
    const base = "/management/v1/user";
    return [
        {
            method: "GET",
            path: base,
            operationId: "list_user",
            handle: (request) => {
                const wanted = request.query.get("name")?.toLowerCase() ?? "";
                const found = store.state.users.filter(({ name }) => name.toLowerCase().includes(wanted));
                const { items, token } = page(found, request.query);
                return { status: 200, json: { users: items, "next-page-token": token } };
            },
        },
        {
            method: "POST",
            path: base,
            operationId: "create_user",
            handle: (request) => create(store, request),
        },
        {
            method: "GET",
            path: `${base}/{user_id}`,
            operationId: "get_user",
            handle: (request) => ({ status: 200, json: find(store, request) }),
        },
        {
            method: "PUT",
            path: `${base}/{user_id}`,
            operationId: "update_user",
            handle: (request) => {
                const user = find(store, request);
                const wanted = decodeBody(request.headers["content-type"], request.body, (body) => ({
                    name: body.string("name"),
                    email: body.optionalString("email"),
                    "user-type": body.variant("user-type", Object.keys(types), types),
                }));
                Object.assign(user, wanted, {
                    "last-updated-with": "update-endpoint",
                    "updated-at": new Date().toISOString(),
                });
                store.save();
                return empty(200);
            },
        },
        {
            method: "DELETE",
            path: `${base}/{user_id}`,
            operationId: "delete_user",
            handle: (request) => {
                const user = find(store, request);
                store.state.users = store.state.users.filter((other) => other !== user);
                for (const role of store.state.roles) {
                    role.members = role.members.filter(({ type, id }) => type !== "user" || id !== user.id);
                }
                store.save();
                return empty(204);
            },
        },
    ];
}

/** A user that the server has not seen, named as the real one names a caller whose token has no name. */
export function seenUser(id: string): User {
    return {
        name: `Nameless App with ID ${id}`,
        email: null,
        id,
        "user-type": "application",
        "last-updated-with": "update-endpoint",
        "created-at": new Date().toISOString(),
        "updated-at": null,
    };
}

function create(store: Store, request: Request): Answer {
    const wanted = decodeBody(request.headers["content-type"], request.body, (body) => ({
        id: userId(body),
        name: body.optionalString("name"),
        email: body.optionalString("email"),
        type: body.has("user-type") ? body.variant("user-type", Object.keys(types), types) : "human",
        update: body.boolean("update-if-exists", false),
    }));
    if (wanted.id === null) {
        const message =
            "User ID could not be extracted from the token and must be provided for creating a user.";
        throw refuse(400, "MissingUserId", message);
    }
    const known = store.state.users.find(({ id }) => id === wanted.id);
    if (known && !wanted.update) {
        throw refuse(409, "UserAlreadyExists", `User with id ${wanted.id} already exists.`);
    }
    const now = new Date().toISOString();
    const user: User = {
        name: wanted.name ?? "",
        email: wanted.email,
        id: wanted.id,
        "user-type": wanted.type,
        "last-updated-with": "create-endpoint",
        "created-at": known?.["created-at"] ?? now,
        "updated-at": known ? now : null,
    };
    store.state.users = [...store.state.users.filter((other) => other !== known), user];
    store.save();
    return { status: known ? 200 : 201, json: user };
}

function userId(body: Fields): string | null {
    const id = body.optionalString("id");
    if (id !== null && !/^[^~]+~.+$/.test(id)) {
        throw body.fault("id", `Invalid user id: \`${id}\`. Expected format: \`<idp_id>~<user-id>\``);
    }
    return id;
}

function find(store: Store, request: Request): User {
    const id = request.params["user_id"] ?? "";
    const user = store.state.users.find((candidate) => candidate.id === id);
    if (!user) throw refuse(404, "UserNotFound", `User with id ${id} not found.`);
    return user;
}
