import { roles, users } from "./access.ts";
import type { Case } from "./case.ts";
import { namespaces, projects, servers, taskQueues } from "./containers.ts";
import { grants, roleMembers } from "./members-grants.ts";
import { storageCases } from "./storages.ts";
import { warehouseCases } from "./warehouses.ts";

/** Every case with a name of its own for what it makes. */
export const cases: (Case & { slug: string })[] = [
    ...servers,
    ...projects,
    ...warehouseCases,
    ...storageCases,
    ...namespaces,
    ...taskQueues,
    ...users,
    ...roles,
    ...roleMembers,
    ...grants,
].map((one, index) => ({ ...one, slug: `c${index}` }));
