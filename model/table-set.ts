import { type Fault, joinPath, zodFaults } from "./faults.ts";
import { nearest } from "./nearest.ts";
import { plan } from "./plan.ts";
import type { PlanContext } from "./plan-context.ts";
import { type TableSpecArgs, tableSpec } from "./table-spec.ts";

/** A table of a set, and where the program declares it. */
export interface DeclaredTable {
    /** The program's own name in a record, `database.table` in a list. */
    key: string;
    /** As faults name it: `tables.accounts`, `tables[2]`. */
    path: string;
    spec: TableSpecArgs;
}

/** The tables of one catalog, which a program gives as a list or by names of its own. */
export function declaredTables(
    tables: readonly TableSpecArgs[] | Readonly<Record<string, TableSpecArgs>>,
): DeclaredTable[] {
    if (isList(tables)) {
        return tables.map((spec, index) => ({
            key: tableName(spec),
            path: joinPath("tables", [index]),
            spec,
        }));
    }
    return Object.entries(tables).map(([key, spec]) => ({ key, path: joinPath("tables", [key]), spec }));
}

/** `database.table` */
export function tableName(spec: Pick<TableSpecArgs, "database" | "name">): string {
    return `${spec?.database}.${spec?.name}`;
}

/**
 * Every fault of every table and of the tables together, and the statements that would make each anew. What a change of a
 * table that exists would lose is not known here.
 */
export function checkTables(
    tables: readonly DeclaredTable[],
    context: Omit<PlanContext, "allowDataLoss">,
): { statements: Map<string, string[]>; faults: Fault[] } {
    const statements = new Map<string, string[]>();
    const faults = sameFaults(tables);
    for (const table of tables) {
        const { key, path, spec } = table;
        const parsed = tableSpec.safeParse(spec);
        if (!parsed.success) {
            faults.push(...zodFaults(parsed.error, spec, path).map((fault) => named(table, fault)));
            continue;
        }
        const made = plan(undefined, parsed.data, context);
        if (made.kind === "create") statements.set(key, made.statements);
        if (made.kind === "refuse")
            faults.push(...made.faults.map((fault) => named(table, below(path, fault))));
    }
    return { statements, faults };
}

/** Faults of a setting that goes by names of tables, of which each must be declared: a slip would be without effect. */
export function unknownNames(setting: string, given: object, known: readonly string[]): Fault[] {
    return Object.keys(given)
        .filter((name) => !known.includes(name))
        .map((name) => {
            const near = nearest(name, known);
            return {
                path: joinPath(setting, [name]),
                reason: "there is nothing of that name among the tables",
                fix: near ? `did you mean ${near}?` : "write it as database.table, or take it out",
            };
        });
}

/** Tables that are declared twice, and different ones whose resources would have one name (`a-b.c` and `a.b-c`). */
function sameFaults(tables: readonly DeclaredTable[]): Fault[] {
    const seen = new Map<string, DeclaredTable>();
    const faults: Fault[] = [];
    for (const table of tables) {
        const resource = `${table.spec?.database}-${table.spec?.name}`;
        const earlier = seen.get(resource);
        if (!earlier) {
            seen.set(resource, table);
            continue;
        }
        const value = tableName(table.spec);
        faults.push(
            value === tableName(earlier.spec)
                ? {
                      path: table.path,
                      value,
                      reason: `is declared as ${earlier.path} already`,
                      fix: "declare each table once",
                  }
                : {
                      path: table.path,
                      value,
                      reason: `its resource would have the same name as that of ${tableName(earlier.spec)} (${resource})`,
                      fix: "declare one of both in a component of its own",
                  },
        );
    }
    return faults;
}

/** In a list a table has no name but its own, and nobody counts to its place. */
function named({ path, spec }: DeclaredTable, fault: Fault): Fault {
    const isListed = /\[\d+\]$/.test(path) && spec?.database !== undefined && spec.name !== undefined;
    return isListed ? { ...fault, reason: `${tableName(spec)}: ${fault.reason}` } : fault;
}

/** Faults of a table call it `table`. */
function below(path: string, fault: Fault): Fault {
    return { ...fault, path: fault.path.replace(/^table\b/, () => path) };
}

function isList(
    tables: readonly TableSpecArgs[] | Readonly<Record<string, TableSpecArgs>>,
): tables is readonly TableSpecArgs[] {
    return Array.isArray(tables);
}
