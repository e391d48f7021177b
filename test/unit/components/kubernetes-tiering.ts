import { defineLake } from "../../../model/lake.ts";

/** A REST catalog whose token is in the environment of the job's pods. */
export const rest = {
    type: "rest",
    uri: "http://catalog:8181/catalog",
    warehouse: "fluss",
    auth: { type: "token", token: { env: "ICEBERG_TOKEN", value: "token-value" } },
} as const;

/** A lake of it whose files Iceberg's own client touches. */
export const native = defineLake({
    catalog: rest,
    storage: { type: "s3", bucket: "lake", region: "eu-central-1" },
});

/** A cluster whose password is there, too. */
export const client = {
    bootstrapServers: "coordinator:9124",
    sasl: { username: "fluss-client", password: { env: "FLUSS_PASSWORD", value: "password-value" } },
};
