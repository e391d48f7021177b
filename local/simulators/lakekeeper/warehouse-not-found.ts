import { refuse } from "./answers.ts";

/** The 404 of a warehouse that is missing, not visible or, for some calls, inactive. */
export function notFound(id: string, stack = "Warehouse not found or access denied"): Error {
    return refuse(404, "NoSuchWarehouseException", `A warehouse with id '${id}' does not exist`, [stack]);
}
