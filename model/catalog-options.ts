import { type Fault, shownValue, throwFaults } from "./faults.ts";
import { clientOptions, type FlussClient } from "./fluss-client.ts";
import type { Lake } from "./lake.ts";
import { lakeAndClient } from "./lake-and-client.ts";
import { lakeCredentialOptions } from "./lake-options.ts";
import type { Storage } from "./lake-storage.ts";
import { type Option, renderOptions, type SecretForm } from "./secret-ref.ts";

/**
 * Options of `CREATE CATALOG` for Fluss, in the order of the quickstart: type, client, lake credentials. Nothing else is
 * accepted there: the object store's options go into {@link readHints}. Secrets take the given form, `secretValue` on
 * VVP and `value` on a plain SQL gateway.
 *
 * Throws a `FaultsError` with every fault. With a JDBC lake catalog, `catalogName` must be the lake's `name`.
 */
export function catalogOptions(
    catalogName: string,
    client: FlussClient,
    lake: Lake | undefined,
    form: SecretForm,
): Record<string, string> {
    const known = lakeAndClient({ lake, client });
    const options: Option[] = [
        { key: "type", value: "fluss", path: "catalog" },
        ...clientOptions(known.client, "sasl"),
        ...(known.lake ? lakeCredentialOptions(known.lake) : []),
    ];
    const { rendered, faults } = renderOptions(options, form);
    throwFaults("the options of the Fluss catalog", [
        ...nameFaults(catalogName, known.lake),
        ...formFaults(form),
        ...faults,
    ]);
    return Object.fromEntries(rendered);
}

/**
 * Options for the hint of every read of a cluster's tables, by its remote storage: `OPTIONS('client.fs...' = ...)`.
 * Empty where the server hands out short-lived keys: Amazon S3, a store with STS, Azure with a service principal.
 */
export function readHints(remote: Storage, form: SecretForm): Record<string, string> {
    const { rendered, faults } = renderOptions(hintOptions(remote), form);
    throwFaults("the hints for reads", [...keyFaults(remote), ...formFaults(form), ...faults]);
    return Object.fromEntries(rendered);
}

function hintOptions(remote: Storage): Option[] {
    const at = "remote";
    if (remote.type === "adls") {
        if (!remote.accountKey) return [];
        // The client takes `client.fs.` off before it hands the key on.
        return [
            { key: "client.fs.fs.azure.account.key", value: remote.accountKey, path: `${at}.accountKey` },
        ];
    }
    if (remote.type === "s3" || remote.stsEndpoint !== undefined) return [];
    const { accessKey } = remote;
    const keys: Option[] = accessKey
        ? [
              { key: "client.fs.s3.access.key", value: accessKey.id, path: `${at}.accessKey.id` },
              { key: "client.fs.s3.secret.key", value: accessKey.secret, path: `${at}.accessKey.secret` },
          ]
        : [];
    return [
        { key: "client.fs.s3.endpoint", value: remote.endpoint, path: `${at}.endpoint` },
        ...keys,
        { key: "client.fs.s3.region", value: remote.region, path: `${at}.region` },
        {
            key: "client.fs.s3.path-style-access",
            value: String(remote.pathStyle),
            path: `${at}.pathStyle`,
        },
    ];
}

function keyFaults(remote: Storage): Fault[] {
    if (remote.type !== "s3Compatible" || remote.stsEndpoint !== undefined || remote.accessKey) return [];
    const reason = "without STS nobody hands out keys for the store, and there is no accessKey";
    return [
        { path: "remote.accessKey", reason, fix: "Give accessKey, or stsEndpoint if the store has an STS" },
    ];
}

/** Flink SQL replaces no `${env:...}` and no `$(...)`: the marker itself would be sent as the password. */
function formFaults(form: SecretForm): Fault[] {
    if (form !== "env" && form !== "podEnv") return [];
    const reason = `Flink SQL does not replace ${form === "env" ? "${env:...}" : "$(...)"}`;
    return [{ path: "form", value: form, reason, fix: 'Render the options with "secretValue" or "value"' }];
}

function nameFaults(catalogName: string, lake: Lake | undefined): Fault[] {
    if (lake?.catalog.type !== "jdbc" || lake.catalog.name === catalogName) return [];
    const path = "catalogName";
    const reason = `the JDBC catalog files its tables under "${lake.catalog.name}", and a Fluss catalog of another name does not find them`;
    return [{ path, ...shownValue(path, catalogName), reason, fix: `Name the catalog ${lake.catalog.name}` }];
}
