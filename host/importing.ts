import { findTable } from "../dynamic-providers/flink-sql/look.ts";
import {
    type CatalogInputs,
    type RunnerInputs,
    runnerOf,
} from "../dynamic-providers/flink-sql/runner-inputs.ts";
import { pulledTable } from "../model/table-source.ts";
import type { Configuration } from "./configuration.ts";
import type { HostedType } from "./types.ts";
import { nameOf } from "./urn.ts";
import type { Properties } from "./values.ts";

/**
 * The inputs that the read of an import starts from: those of the configuration `fluss:importFrom` (the connection, of
 * which an id says nothing), and what the id says.
 * @throws when the type cannot be imported, the configuration is missing, or the id has another form
 */
export async function importedInputs(
    type: HostedType,
    id: string,
    urn: string,
    configuration: Configuration,
): Promise<Properties> {
    const [, module = "", name = ""] = type.token.split(":");
    const importer = importers[`${module}:${name}`];
    const what = `import of ${type.token} '${id}' as ${nameOf(urn)}`;
    if (!importer) {
        throw new Error(
            `${what}: objects of this type cannot be imported, only ${Object.keys(importers).join(", ")}.\n` +
                "What to do: declare it with adopt: true where it has that argument, which takes over what exists",
        );
    }
    const from = JSON.parse(configuration.get("importFrom") ?? "{}")[module] as Properties | undefined;
    const missing = importer.needs.filter((input) => from?.[input] === undefined);
    if (missing.length > 0) {
        throw new Error(
            `${what}: an id does not say where the object is; not known: ${missing.join(", ")}.\n` +
                `What to do: \`pulumi config set --secret fluss:importFrom '{"${module}": {${missing.map((input) => `"${input}": …`).join(", ")}}}'\``,
        );
    }
    // What the program may leave out has the value that it has there when it is left out.
    const { deletionProtection, adopt } = type.hosted.definition.inputs.shape;
    const usual = { ...(deletionProtection && { deletionProtection: true }), ...(adopt && { adopt: false }) };
    return { ...usual, ...(await importer.inputs(id, from ?? {}, configuration)) };
}

interface Importer {
    /** Inputs that the configuration must give. */
    needs: string[];
    inputs(id: string, from: Properties, configuration: Configuration): Properties | Promise<Properties>;
}

/** The id is the server's, and the object's properties are read from it. */
const byServerId: Importer = { needs: ["connection"], inputs: (id, from) => ({ ...from, name: id }) };

/** The id is the object's name. */
const byName: Importer = { needs: ["connection"], inputs: (id, from) => ({ ...from, name: id }) };

const importers: Record<string, Importer> = {
    "lakekeeper:Warehouse": byServerId,
    "lakekeeper:Project": {
        needs: ["connection"],
        inputs: (id, from) => ({ ...from, projectId: id, name: id }),
    },
    "lakekeeper:Role": byServerId,
    "lakekeeper:User": { needs: ["connection"], inputs: (id, from) => ({ ...from, userId: id }) },
    "vvp:DeploymentTarget": byName,
    "vvp:SessionCluster": byName,
    "fluss:Database": {
        needs: ["runner", "catalog"],
        inputs(id, from) {
            const [catalog, name] = partsOf(id, ["catalog", "database"]);
            return { ...from, catalog: sameCatalog(from["catalog"], catalog!), name: name! };
        },
    },
    "fluss:Table": {
        needs: ["runner", "catalog", "capabilities"],
        async inputs(id, from, configuration) {
            const [catalog, database, name] = partsOf(id, ["catalog", "database", "table"]);
            const reference = sameCatalog(from["catalog"], catalog!);
            const runner = runnerOf(
                from["runner"] as unknown as RunnerInputs,
                reference as unknown as CatalogInputs,
                { config: (key) => configuration.get(key) },
            );
            const found = await findTable(runner, catalog!, { database: database!, name: name! });
            if (!found) throw new Error(`Fluss: there is no table ${id}, which was to be imported`);
            const { spec } = pulledTable(found.spec);
            return { ...from, catalog: reference, spec: spec as unknown as Properties, allowDataLoss: [] };
        },
    },
};

function partsOf(id: string, names: string[]): string[] {
    const parts = id.split(".");
    if (parts.length === names.length && parts.every((part) => part !== "")) return parts;
    throw new Error(
        `'${id}' cannot be imported: its id has the form ${names.map((name) => `<${name}>`).join(".")}`,
    );
}

function sameCatalog(catalog: unknown, name: string): Properties {
    const reference = catalog as Properties;
    if (reference["name"] === name) return reference;
    throw new Error(
        `the catalog of the id is '${name}', and that of fluss:importFrom is '${reference["name"]}': they must be the same`,
    );
}
