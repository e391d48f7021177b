/** What to do about an error of Lakekeeper, by its type (0.13.3 observed). */
const byType: Record<string, string> = {
    MissingAuthorizationHeader:
        "give connection.token, connection.oidc or connection.kubernetes, or set LAKEKEEPER_TOKEN",
    AnonymousBootstrap: "a server with OpenFGA is bootstrapped with a token: its owner becomes admin",
    AuthenticationFailed:
        "the token was not accepted: it is wrong, expired or for another audience, or the server may not ask Kubernetes about it (TokenReview). " +
        "A token that was replaced since the last `up` can be given as LAKEKEEPER_TOKEN",
    NotFound: "the storage has no such bucket: check bucket and endpoint, as the Lakekeeper server sees them",
    PermissionDenied:
        "the key may not do this on the bucket: it needs PutObject, GetObject, DeleteObject and ListBucket below keyPrefix; " +
        "with awsKmsKeyArn also kms:GenerateDataKey and kms:Decrypt on that key",
    ConfigInvalid:
        "the storage does not know this access key: check credential, and the endpoint it belongs to",
    Unexpected:
        "the Lakekeeper server could not use the storage: check that endpoint is reachable from the server's pod, and the secret key",
    InitializeClientError:
        "the server could not log in to the storage: check the key file or secret of credential, and for a system identity what the server's pod runs as",
    InvalidLocation: "check bucket, keyPrefix and host in storage",
    InvalidS3Endpoint: "give endpoint as http(s)://host:port without a path",
    "Invalidsts-role-arn": "give stsRoleArn or assumeRoleArn, or set stsEnabled: false",
    ShortTermCredentialError:
        "the storage gave no short-lived keys, or keys that are not restricted: check the role, or set stsEnabled: false for stores without STS",
    Misconfiguration:
        "system identities are switched off on this server; use an access key or switch them on",
    CreateWarehouseStorageProfileOverlap:
        "choose another bucket or keyPrefix. If no such warehouse is listed it is deactivated: it keeps its location",
    WarehouseAlreadyExists:
        "choose another name. If no such warehouse is listed it is deactivated: it keeps its name",
    /** So it is called up to 0.10, on create and on rename. */
    WarehouseNameAlreadyExists: "choose another name",
    EntityAlreadyExists: "choose another name",
    ProjectActionForbidden: "give the caller rights on the project, or use another token",
    WarehouseActionForbidden: "give the caller rights on the warehouse, or use another token",
    NoSuchWarehouseException: "it was deleted, is deactivated, or the caller may not see it",
    ProjectNotFound: "create the project first, or leave it out for the server's default project",
    ProjectIdMissing: "this server has no default project: give projectId",
    ProjectNotEmpty: "delete its warehouses (deactivated ones too) and roles first",
    WarehouseProtected: "set protected: false, run `pulumi up`, then delete it",
    WarehouseNotEmpty: "drop the namespaces in it first",
    NamespaceProtected: "take the protection away, or give drain: { force: true }",
    ChildTabularProtected: "take the protection of these tables away, or give drain: { force: true }",
    NamespaceDeleteNotAllowed:
        "dropped tables of this warehouse can be brought back: give drain: { force: true } to drop them for good",
    NamespaceNotEmptyException: "drop its tables, views and child namespaces first",
    ProtectedTabularDeletionWithoutForce:
        "take the protection of this table away, or give drain: { force: true }",
    AlreadyExistsException: "set adopt: true to take it over, or choose another name",
    RoleNameAlreadyExists: "choose another name, or set adopt: true on the role that takes it over",
    RoleSourceIdConflict: "another role of the project has this providerId and sourceId: choose others",
    RoleAssignmentUserNotFound:
        "the server does not know this user: make a LakekeeperUser for it, or let them log in once",
    InvalidQueueConfig: "give durations as ISO 8601, like P1D or PT12H",
    SecretFetchError:
        "the server cannot read the credential that it stored, most often since its encryption key changed: a new `up` after `pulumi refresh` stores it again",
    UpdateError: "this change would leave the tables behind: make another warehouse for it",
    MissingCredentialError: "give credential: this kind of storage needs one",
    WarehouseHasUnfinishedTasks: "wait until the purge or expiration of its tables is done, then try again",
    WarehouseManaged:
        "an instance admin manages this warehouse; use their token, or have them clear the marker",
    InstanceAdminRequired:
        "managedBy needs the token of an instance admin (LAKEKEEPER__INSTANCE_ADMINS of the server): leave it out otherwise",
    SecretCreateError:
        "the server's database pool is busy; raise LAKEKEEPER__PG_WRITE_POOL_CONNECTIONS (40 is known to do)",
    DatabaseError: "the server has trouble with its database: look at the log of its pod",
    MaintenanceModeError:
        "the server is read-only for maintenance; try again when that is over, or raise connection.timeoutSeconds",
};

/** The types with a hint, for tests. */
export const knownTypes = Object.keys(byType);

export function hintFor(error: { status?: number; type?: string; message: string }): string | undefined {
    if (error.message.includes("unique_warehouse_name_in_project")) {
        return "the name is taken by another warehouse of the project, maybe a deactivated one, which is not listed";
    }
    if (error.message.includes("PackedPolicyTooLarge")) {
        return "the policy of the short-lived keys is too large for AWS: upgrade to Lakekeeper 0.13 or newer, shorten keyPrefix, or drop stsSessionTags";
    }
    const known = error.type ? byType[error.type] : undefined;
    if (known) return known;
    if (error.status === 404 && !error.type)
        return "is this the base URL of a Lakekeeper server, 0.10 or newer?";
    if (error.status === 431 || error.status === 413)
        return "the token, or what is sent, is larger than the server takes";
    if (error.status !== undefined && error.status >= 500 && !error.type)
        return "the server, or what is between here and it, is out of order: look at the log of the server's pod";
    if (error.status === 408)
        return "the server gave up waiting, most of the time for the storage: check endpoint";
    return undefined;
}
