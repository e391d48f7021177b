import { FaultsError } from "./faults.ts";
import { defineLake, type Lake, type LakeInput, lakeWarnings } from "./lake.ts";

/** One way to combine catalog, store and keys, and what the model says of it. */
export interface LakeCombination {
    /** `REST, token`, `REST, OAuth`, `JDBC`, `Hadoop`; `files by Hadoop` where Iceberg's own client is not used. */
    catalog: string;
    /** `Amazon S3`, `S3-compatible`, `Azure`, `Files`. */
    storage: string;
    /** Whether the lake carries keys of the store. */
    keys: boolean;
    /** The lake with names that stand for real ones; undefined if the model refuses the combination. */
    lake?: Lake;
    /** Why it is refused. */
    refusal?: string;
    /** What the manuals doubt, or what was seen not to work, by release line. */
    warnings: { "0.9": string[]; "1.0": string[] };
}

/** A release for each line, as the warnings take it. */
const releases = { "0.9": "0.9.1-incubating", "1.0": "1.0.0-vv-3" } as const;

/** Every catalog with every store, with and without the store's keys where it has some, supported or not. */
export function lakeCombinations(): LakeCombination[] {
    return Object.entries(catalogs).flatMap(([catalog, catalogInput]) =>
        Object.entries(storages).flatMap(([storage, { keyless, key }]) =>
            (key ? [true, false] : [false]).map((keys) => {
                const input = { catalog: catalogInput, storage: keys ? { ...keyless, ...key } : keyless };
                return { catalog, storage, keys, ...judged(input as LakeInput) };
            }),
        ),
    );
}

const secret = (name: string) => ({
    env: name.toUpperCase().replaceAll("-", "_"),
    secretValue: name,
    value: `<${name}>`,
});

const rest = { type: "rest", uri: "http://catalog:8181/catalog", warehouse: "fluss" } as const;
const token = { type: "token", token: secret("iceberg-token") } as const;
const oauth = {
    type: "oauth",
    clientId: "fluss",
    clientSecret: secret("iceberg-credential"),
    scope: "PRINCIPAL_ROLE:ALL",
} as const;

const catalogs: Record<string, LakeInput["catalog"]> = {
    "REST, token": { ...rest, auth: token },
    "REST, token, files by Hadoop": { ...rest, auth: token, fileIo: "hadoop" },
    "REST, OAuth": { ...rest, auth: oauth },
    "REST, OAuth, files by Hadoop": { ...rest, auth: oauth, fileIo: "hadoop" },
    JDBC: {
        type: "jdbc",
        name: "lake",
        uri: "jdbc:postgresql://db:5432/lake",
        user: "iceberg",
        password: secret("jdbc-password"),
    },
    Hadoop: { type: "hadoop" },
};

const place = { bucket: "lake", region: "eu-central-1", prefix: "warehouse" };
const accessKey = { id: secret("s3-access-key-id"), secret: secret("s3-secret-access-key") };

const storages: Record<string, { keyless: LakeInput["storage"]; key?: Record<string, unknown> }> = {
    "Amazon S3": { keyless: { type: "s3", ...place }, key: { accessKey } },
    "S3-compatible": {
        keyless: { type: "s3Compatible", ...place, endpoint: "http://minio:9000" },
        key: { accessKey },
    },
    Azure: {
        keyless: { type: "adls", account: "acme", container: "lake", prefix: "warehouse" },
        key: { accountKey: secret("adls-account-key") },
    },
    Files: { keyless: { type: "files", folder: "/var/lib/fluss/lake" } },
};

function judged(input: LakeInput): Pick<LakeCombination, "lake" | "refusal" | "warnings"> {
    try {
        const lake = defineLake(input);
        const warned = (release: string) => lakeWarnings(lake, release).map(({ reason }) => reason);
        return { lake, warnings: { "0.9": warned(releases["0.9"]), "1.0": warned(releases["1.0"]) } };
    } catch (error) {
        if (!(error instanceof FaultsError)) throw error;
        const refusal = error.faults.map(({ reason }) => reason).join("; ");
        return { refusal, warnings: { "0.9": [], "1.0": [] } };
    }
}
