import type { LakekeeperCredentialArgs } from "../../dynamic-providers/lakekeeper/storage/args.ts";
import { credentialTypeTold } from "../../dynamic-providers/lakekeeper/storage/credential.ts";
import { fromProfile } from "../../dynamic-providers/lakekeeper/storage/index.ts";
import type { WarehouseAnswer } from "../../dynamic-providers/lakekeeper/warehouse-api.ts";
import type { Definition } from "../../dynamic-providers/vvp/domain.ts";
import { isTieringJar } from "../../model/engine-rules.ts";
import { isSecretPath } from "../../model/faults.ts";
import { isSecretOption } from "../../model/show-create.ts";
import { ordered } from "../../model/table-source.ts";
import { Code, typescript } from "../../model/typescript-source.ts";
import type { Found, FoundCatalog, FoundLakekeeper, FoundWorkspace } from "./read.ts";

/** A program, and what it needs beside itself. */
export interface Program {
    source: string;
    /** Keys of the stack's configuration that hold secrets which nobody can read back, with what each is. */
    secrets: { key: string; what: string }[];
    warnings: string[];
}

/** The program that takes over what was found. Its first preview shows only creations, which find everything there. */
export function programOf(found: Found): Program {
    const pages = new Pages();
    if (found.workspace) workspace(pages, found.workspace);
    if (found.lakekeeper) lakekeeper(pages, found.lakekeeper);
    for (const catalog of found.catalogs) cluster(pages, catalog);
    return {
        source: pages.source(),
        secrets: pages.secrets,
        warnings: [...found.warnings, ...pages.warnings],
    };
}

/** The statements of the program, and the names that they import. */
class Pages {
    readonly secrets: Program["secrets"] = [];
    readonly warnings: string[] = [];
    readonly #classes = new Set<string>();
    readonly #statements: string[] = [];

    /** `new Class("name", args, opts)` */
    make(className: string, name: string, args: object, options = "kept"): void {
        this.#classes.add(className);
        this.#statements.push(`new ${className}(${JSON.stringify(name)}, ${typescript(args)}, ${options});`);
    }

    add(statement: string): void {
        this.#statements.push(statement);
    }

    /** A value that only the stack's configuration can have. */
    secret(name: string, what: string): Code {
        const key = name.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
        if (!this.secrets.some((one) => one.key === key)) this.secrets.push({ key, what });
        return new Code(`config.requireSecret(${JSON.stringify(key)})`);
    }

    source(): string {
        const needed = this.secrets.length > 0;
        const classes = [...this.#classes].sort();
        const lines = [
            "/** Takes over what exists already (`adopt`), as `pulumi-fluss import-plan` found it. */",
            ...(needed ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
            ...(classes.length > 0
                ? [
                      `import {\n${classes.map((one) => `    ${one},\n`).join("")}} from "pulumi-fluss/dynamic-providers";`,
                  ]
                : []),
            "",
            ...(needed ? ["const config = new pulumi.Config();"] : []),
            "/** Nothing of this is deleted with the stack. Take `protect` away where the stack shall own it. */",
            "const kept = { protect: true };",
            "",
        ];
        return `${lines.join("\n")}\n${this.#statements.join("\n\n")}\n`;
    }
}

function workspace(pages: Pages, found: FoundWorkspace): void {
    const { url, workspace, namespace } = found.connection;
    pages.add(`const connection = ${typescript({ url, workspace, namespace })};`);
    const connection = new Code("connection");
    for (const { name, kubernetesNamespace } of found.targets)
        pages.make("VvpDeploymentTarget", name, { connection, name, kubernetesNamespace, adopt: true });
    for (const { name, status, ...settings } of found.sessionClusters) {
        const { deploymentTarget, engineVersion, numberOfTaskManagers, resources, flinkConfiguration } =
            settings;
        pages.make("VvpSessionCluster", name, {
            connection,
            name,
            deploymentTarget,
            engineVersion,
            // As people leave it: the stack neither starts nor stops it.
            state: "ON_DEMAND",
            numberOfTaskManagers,
            resources: some(resources),
            flinkConfiguration: some(flinkConfiguration),
            adopt: true,
        });
        if (status === "FAILED") pages.warnings.push(`session cluster ${name}: has failed`);
    }
    for (const name of found.secretValues)
        pages.make("VvpSecretValue", name, {
            connection,
            name,
            value: pages.secret(name, `value of the secret value ${name}, which is written anew`),
            adopt: true,
        });
    for (const { definition, runs } of found.deployments)
        pages.make("VvpDeployment", definition.name, {
            connection,
            ...deployment(pages, definition),
            state: runs ? undefined : "CANCELLED",
            adopt: true,
        });
    if (found.jars.length > 0)
        pages.warnings.push(
            found.jars.length === 1
                ? "1 file is named by its URI: it cannot be read back. Give VvpArtifact the file to own it"
                : `${found.jars.length} files are named by their URIs: they cannot be read back. Give VvpArtifact the files to own them`,
        );
}

function deployment(pages: Pages, definition: Definition): object {
    const { name, executionMode, engineVersion, target, jar, python, sqlScript, parallelism } = definition;
    const { additionalDependencies, flinkConf, resources, labels, logging } = definition;
    const text = (field: string, value: string | undefined) => {
        if (value === undefined || value === "") return undefined;
        const clear = secretsIn(value);
        if (clear.length === 0) return value;
        pages.warnings.push(
            `deployment ${name}: ${field} holds ${clear.join(", ")} in clear; make a secret value of it`,
        );
        return pages.secret(`${name}-${field}`, `${field} of deployment ${name}, with its secrets`);
    };
    return {
        name,
        ...(target.mode === "SESSION" ? { sessionCluster: target.name } : { deploymentTarget: target.name }),
        engineVersion,
        executionMode: executionMode === "BATCH" ? executionMode : undefined,
        jarUri: jar?.uri,
        pythonUri: python?.uri,
        entryClass: jar?.entryClass || undefined,
        entryModule: python?.entryModule || undefined,
        mainArgs: text("mainArgs", jar?.mainArgs ?? python?.mainArgs),
        pythonLibraries: some(python?.libraries),
        pythonArchives: some(python?.archives),
        sqlScript: text("sqlScript", sqlScript),
        additionalDependencies: some(additionalDependencies),
        flinkConf: some(
            Object.fromEntries(
                Object.entries(flinkConf).map(([key, value]) => [
                    key,
                    isSecretOption(key, value) ? text(key, `'${key}'='${value}'`) : value,
                ]),
            ),
        ),
        parallelism,
        resources: some(resources),
        labels: some(labels),
        logging: logging && some({ ...logging, loggers: some(logging.loggers ?? {}) }),
        // What was tiered is known to the servers, not to Flink's checkpoints.
        restart: isTieringJar(jar?.uri) ? "WITHOUT_STATE" : undefined,
    };
}

function lakekeeper(pages: Pages, { url, project, warehouses }: FoundLakekeeper): void {
    pages.add(`const lakekeeper = ${typescript({ url })};`);
    const connection = new Code("lakekeeper");
    pages.make("LakekeeperServer", "lakekeeper", { connection, acceptTermsOfUse: true, bootstrap: false });
    for (const warehouse of warehouses)
        pages.make("LakekeeperWarehouse", warehouse.name, {
            connection,
            projectId: project,
            name: warehouse.name,
            storage: fromProfile(warehouse["storage-profile"]),
            credential: credential(pages, warehouse),
            deleteProfile: deleteProfile(warehouse),
            protected: warehouse.protected || undefined,
            active: warehouse.status === "active" ? undefined : false,
            adopt: true,
        });
}

/** What each kind of credential is made of. */
const credentialFields: Record<LakekeeperCredentialArgs["type"] & string, readonly string[]> = {
    "s3-access-key": ["accessKeyId", "secretAccessKey"],
    "s3-system-identity": [],
    "s3-cloudflare-r2": ["accessKeyId", "secretAccessKey", "token", "accountId"],
    "az-client-credentials": ["clientId", "clientSecret", "tenantId"],
    "az-shared-key": ["key"],
    "az-system-identity": [],
    "gcs-service-account-key": ["key"],
    "gcs-system-identity": [],
};

/** The server never shows a credential: what it is made of comes from the configuration, and is sent anew. */
function credential(pages: Pages, warehouse: WarehouseAnswer): object | undefined {
    const { name, "storage-credential-type": told } = warehouse;
    const type = told && credentialTypeTold(`${told.type}/${told["credential-type"]}`);
    if (type) {
        const parts = credentialFields[type].map((field) => [
            field,
            pages.secret(`${name}-${field}`, `${field} of warehouse ${name}, which is sent anew`),
        ]);
        return { type, ...Object.fromEntries(parts) };
    }
    pages.warnings.push(
        `warehouse ${name}: the server does not say which kind of credential it has; add credential where it has one`,
    );
    return undefined;
}

function deleteProfile({ "delete-profile": profile }: WarehouseAnswer): object | undefined {
    if (profile.type !== "soft") return undefined;
    return { type: "soft", expirationSeconds: profile["expiration-seconds"] };
}

function cluster(pages: Pages, found: FoundCatalog): void {
    const variable = camel(`${found.name}-runner`);
    const sql = {
        kind: new Code('"vvp" as const'),
        connection: new Code("connection"),
        engineVersion: found.engineVersion,
        additionalDependencies: found.jars,
    };
    pages.add(`const ${variable} = ${typescript(sql)};`);
    if (found.databases.some(({ unknownLake = [] }) => unknownLake.length > 0) && !namesIceberg(found))
        pages.warnings.push(
            `catalog ${found.name}: which lake its cluster has is not shown; capabilities of its tables say "iceberg", the only one for which there are rules`,
        );
    const runner = new Code(variable);
    const catalog = { name: found.name };
    if (found.options) {
        const options = Object.entries(found.options).map(([key, value]) => [
            key,
            hidden(key, value)
                ? pages.secret(
                      `${found.name}-${key}`,
                      `\${secret_values.<name>} that ${key} of catalog ${found.name} names`,
                  )
                : value,
        ]);
        pages.make("FlussCatalog", found.name, {
            runner,
            name: found.name,
            options: Object.fromEntries(options),
            adopt: true,
        });
    }
    for (const { name, tables } of found.databases) {
        pages.make("FlussDatabase", `${found.name}-${name}`, { runner, catalog, name, adopt: true });
        for (const spec of tables)
            pages.make("FlussTable", `${found.name}-${name}-${spec.name}`, {
                runner,
                catalog,
                spec: ordered(spec),
                capabilities: capabilities(found),
                adopt: true,
            });
    }
}

/** A reference to a secret value may come back resolved and masked. */
function hidden(key: string, value: string): boolean {
    return isSecretPath(key) && !value.includes("${secret_values.");
}

function capabilities({ jars, options, databases }: FoundCatalog): object {
    const old = jars.some((uri) => /(^|\/)fluss-flink-1\.\d+-0\./.test(uri));
    const inLake = databases.some(({ tables }) =>
        tables.some((table) => table.options["table.datalake.enabled"] === "true"),
    );
    return { server: old ? "0.9" : "1.0", lake: inLake || namesIceberg({ options }) ? "iceberg" : "none" };
}

function namesIceberg({ options }: Pick<FoundCatalog, "options">): boolean {
    return Object.keys(options ?? {}).some((key) => key.startsWith("iceberg."));
}

/** Options of a command line or a script that are secrets in clear. */
function secretsIn(text: string): string[] {
    const options = [
        ...text.matchAll(/--([\w.-]+)[\s=]+(\S+)/g),
        ...text.matchAll(/'([\w.-]+)'\s*=\s*'((?:[^']|'')*)'/g),
    ];
    return options.flatMap(([, key = "", value = ""]) => (isSecretOption(key, value) ? [key] : []));
}

/** Undefined for what is empty, which is the same and shorter. */
function some<T extends object>(value: T | undefined): T | undefined {
    return value === undefined || Object.values(value).every((one) => one === undefined) ? undefined : value;
}

function camel(name: string): string {
    const joined = name.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, letter?: string) =>
        (letter ?? "").toUpperCase(),
    );
    return /^[A-Za-z]/.test(joined) ? joined : `a${joined}`;
}
