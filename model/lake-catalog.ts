import * as z from "zod";
import { strict } from "./faults.ts";
import { httpUri } from "./lake-storage.ts";
import { warehouseName } from "./names.ts";
import { type SecretRef, secretRef } from "./secret-ref.ts";

/** Why token and credential are two kinds and not two fields. */
const eitherTokenOrCredential =
    "Give a token or an OAuth credential, never both: with both, the Iceberg client fetches a token with the " +
    "credential and ignores yours";

/** A bearer token that does not expire, such as that of a Kubernetes ServiceAccount's token Secret. */
const tokenAuth = strict({ type: z.literal("token"), token: secretRef }, eitherTokenOrCredential);

const oauthAuth = strict(
    {
        type: z.literal("oauth"),
        clientId: z.string().refine((text) => /^[^\s:]+$/.test(text), {
            error: "must not be empty and must not contain blanks or colons: the credential is id:secret, with one colon",
            params: { fix: "Give the client id alone, without scheme" },
        }),
        /**
         * `value` is the client secret alone. Markers are replaced as whole values, so the environment variable and
         * the secret value hold the pair `clientId:clientSecret`: see {@link oauthCredential}.
         */
        clientSecret: secretRef.refine((ref) => ref.value === undefined || /^[^\s:]+$/.test(ref.value), {
            error: "must not contain blanks or colons: the credential is id:secret, with one colon",
            params: { fix: "Give the client secret alone" },
        }),
        /** E.g. `PRINCIPAL_ROLE:ALL` for Polaris. */
        scope: z.string().refine((text) => /^\S+$/.test(text), {
            error: "must be one word: it is an argument of the tiering job",
            params: { fix: "Give one scope" },
        }),
        /** Token endpoint. Default `<uri>/v1/oauth/tokens`, which Lakekeeper does not serve: there it is needed. */
        oauth2ServerUri: httpUri("https://idp.example.com/oauth2/token").optional(),
    },
    eitherTokenOrCredential,
);

const rest = strict({
    type: z.literal("rest"),
    /** Base of the catalog: `http://fluss-lakekeeper.<namespace>.svc.cluster.local:8181/catalog`. */
    uri: httpUri("http://host:8181/catalog"),
    /** The warehouse by its name in the catalog, never by its location. */
    warehouse: warehouseName,
    auth: z.discriminatedUnion("type", [tokenAuth, oauthAuth]),
    /** Ask the catalog for store keys per table. Default: the catalog decides. */
    vendedCredentials: z.boolean().default(false),
    /**
     * Who reads and writes files: Iceberg's own client of the store, or Hadoop (older installations, whose jobs carry a
     * core-site.xml). Default `native`.
     */
    fileIo: z.enum(["native", "hadoop"]).default("native"),
});

const jdbc = strict({
    type: z.literal("jdbc"),
    /** Name that the catalog files its tables under; the Fluss catalog must have the same one. */
    name: z.string().refine((text) => /^[A-Za-z0-9_-]+$/.test(text), {
        error: "is named with letters, digits, - and _",
        params: { fix: "Give the name that the Fluss catalog will have, too" },
    }),
    uri: z.string().refine((text) => /^jdbc:postgresql:\/\/[^\s/?@]+\/[^\s?]+$/.test(text), {
        error: "is not the location of a PostgreSQL database without user, password, parameters and blanks",
        params: { fix: "Write it like jdbc:postgresql://host:5432/database, with user and password apart" },
    }),
    user: z.string().refine((text) => /^\S+$/.test(text), {
        error: "must be one word: it is an argument of the tiering job",
        params: { fix: "Give a user without blanks" },
    }),
    password: secretRef,
});

/** Tables as folders of the store, without a catalog service. */
const hadoop = strict({ type: z.literal("hadoop") });

/** Schema of {@link Catalog}. */
export const catalogSchema = z.discriminatedUnion("type", [rest, jdbc, hadoop]);

/** Where the lake's tables are known. */
export type Catalog = z.output<typeof catalogSchema>;

/** An OAuth client as a REST catalog takes it. */
export type OauthAuth = z.output<typeof oauthAuth>;

/** The pair `clientId:clientSecret` as one secret: the content of the variable or secret value, if there is one. */
export function oauthCredential({ clientId, clientSecret }: OauthAuth): SecretRef {
    const { value } = clientSecret;
    return { ...clientSecret, ...(value === undefined ? {} : { value: `${clientId}:${value}` }) };
}
