import type { Bag } from "../../lakekeeper/lead.ts";

/** Marks that are easy to find: what of a credential must be seen nowhere in clear. */
export const marked = {
    s3: "MARK-s3/secret+key=",
    r2: "MARK-r2-secret-key",
    r2Token: "MARK-r2-token",
    azureClient: 'MARK-azure~"client"-secret',
    azureKey: "MARK+azure/shared==",
    google: "MARKgooglekeyline0123456789",
};

const googleKey = JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "k",
    private_key: `-----BEGIN PRIVATE KEY-----\n${marked.google}\n-----END PRIVATE KEY-----\n`,
    client_email: "a@example.com",
    client_id: "1",
    auth_uri: "https://accounts.example.com/auth",
    token_uri: "https://accounts.example.com/token",
    auth_provider_x509_cert_url: "https://accounts.example.com/certs",
    client_x509_cert_url: "https://accounts.example.com/cert",
});

const azureClient = {
    type: "az-client-credentials",
    clientId: "c",
    clientSecret: marked.azureClient,
    tenantId: "t",
};

/** A storage of each kind with each credential that holds a secret. */
export const secretive: { title: string; storage: Bag; credential: Bag }[] = [
    {
        title: "s3 with a key",
        storage: { type: "s3", bucket: "lake", keyPrefix: "s3", region: "us-east-1" },
        credential: { type: "s3-access-key", accessKeyId: "AKIAEXAMPLE", secretAccessKey: marked.s3 },
    },
    {
        title: "s3 on R2",
        storage: {
            type: "s3",
            bucket: "lake",
            keyPrefix: "r2",
            region: "auto",
            flavor: "s3-compat",
            endpoint: "https://a.r2.cloudflarestorage.com",
            stsEnabled: true,
        },
        credential: {
            type: "s3-cloudflare-r2",
            accessKeyId: "r2-id",
            secretAccessKey: marked.r2,
            token: marked.r2Token,
            accountId: "a",
        },
    },
    {
        title: "adls with a client",
        storage: { type: "adls", filesystem: "lake", accountName: "account", keyPrefix: "client" },
        credential: azureClient,
    },
    {
        title: "adls with a shared key",
        storage: { type: "adls", filesystem: "lake", accountName: "account", keyPrefix: "shared" },
        credential: { type: "az-shared-key", key: marked.azureKey },
    },
    {
        title: "gcs with a key file",
        storage: { type: "gcs", bucket: "lake", keyPrefix: "google" },
        credential: { type: "gcs-service-account-key", key: googleKey },
    },
    {
        title: "onelake with a client",
        storage: {
            type: "onelake",
            workspaceId: "11111111-1111-4111-8111-111111111111",
            lakehouseId: "22222222-2222-4222-8222-222222222222",
            directoryRelPath: "lake",
        },
        credential: azureClient,
    },
];
