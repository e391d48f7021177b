export { azurite, azuriteEndpoint, type StorageAccount } from "./azurite.ts";
export {
    flinkJobManager,
    flinkTaskManager,
    flinkUrl,
    sqlGateway,
    sqlGatewayUrl,
    taskSlots,
} from "./flink.ts";
export { flussBootstrap, flussCoordinator, flussTablet } from "./fluss.ts";
export { type SaslUsers, saslOptions } from "./fluss-options.ts";
export { isSecretOption, secretValues } from "./fluss-secrets.ts";
export { type Folders, foldersOf, makeFolders, readIfThere, writePrivate } from "./folders.ts";
export { icebergCatalog, icebergCatalogUrl, type LakeStorage } from "./iceberg-catalog.ts";
export { type ServiceName, serviceNames, stopGroups } from "./names.ts";
export { choosePorts, type Ports } from "./ports.ts";
export { type DatabaseUser, makeDatabase, postgresql, postgresqlUri } from "./postgresql.ts";
export { isAlive, type ProcessRecord, processRecord, recordOf } from "./process.ts";
export { redact } from "./redact.ts";
export { s3, s3Endpoint, s3Region } from "./s3.ts";
export { type S3Admin, startS3 } from "./s3-admin.ts";
export { readSecrets, rememberSecrets, secretsFile } from "./secrets.ts";
export { type Seconds, startFlink, startFluss, startTogether } from "./start.ts";
export { type ServiceSpec, type ServiceStatus, type Started, Supervisor } from "./supervisor.ts";
export { zookeeper } from "./zookeeper.ts";
