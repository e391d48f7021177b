/** Secrets that are easy to find: one for each secret input, other ones in each version. */
export interface Marks {
    lakekeeperToken: string;
    clientPassword: string;
    secretValue: string;
    oidcSecret: string;
    catalogPassword: string;
    catalogToken: string;
}

/** By this each of them is found, whatever its version: in {@link Marks}, and what is told outside of the program. */
export const stems = {
    lakekeeperToken: "MARK-lakekeeper-token",
    clientPassword: "MARK-client-password",
    secretValue: 'MARK-further "secret" value',
    oidcSecret: "MARK-oidc/client+secret",
    catalogPassword: "MARK-catalog'password",
    catalogToken: "MARK-catalog-token",
    vvpToken: "MARK-platform-token",
    vvpHeader: "MARK-gate/header=",
    passphrase: "MARK-passphrase of the stack",
} as const;

/** The secrets of the program in one version. */
export function marksOf(version: number): Marks {
    const of = (stem: string) => `${stem}-v${version}`;
    return {
        lakekeeperToken: of(stems.lakekeeperToken),
        clientPassword: of(stems.clientPassword),
        secretValue: of(stems.secretValue),
        oidcSecret: of(stems.oidcSecret),
        catalogPassword: of(stems.catalogPassword),
        catalogToken: of(stems.catalogToken),
    };
}
