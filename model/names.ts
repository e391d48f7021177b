import * as z from "zod";

/**
 * Rules for names that several services check, each as late as they can. All are zod schemas, so they can be parts of
 * larger ones.
 */

/** Deployment target of VVP: letters, digits, `-`, `_`, at most 250. */
export const deploymentTargetName = named(
    /^[0-9A-Za-z_-]{1,250}$/,
    "a VVP deployment target is named with letters, digits, - and _, at most 250 of them",
);

/** Secret value of VVP: as {@link deploymentTargetName}. */
export const secretValueName = named(
    /^[0-9A-Za-z_-]{1,250}$/,
    "a VVP secret value is named with letters, digits, - and _, at most 250 of them",
);

/** Session cluster of VVP: lower-case letters, digits, inner hyphens, at most 63. */
export const sessionClusterName = named(
    /^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    "a VVP session cluster is named with lower-case letters, digits and inner hyphens, at most 63 of them",
);

/** Deployment of VVP: letters, digits, `-`, `_`, at most 128. */
export const deploymentName = named(
    /^[0-9A-Za-z_-]{1,128}$/,
    "a VVP deployment is named with letters, digits, - and _, at most 128 of them",
);

/**
 * Warehouse of Lakekeeper: not empty, at most 128 bytes (observed on 0.13.3). Narrower than the server: it takes `/`
 * and blanks, but a slash breaks `<project>/<warehouse>` and a blank breaks the tiering job's arguments.
 */
export const warehouseName = z.string().check((context) => {
    const name = context.value;
    const issue = (reason: string, fix: string) =>
        context.issues.push({ code: "custom", input: name, message: reason, params: { fix } });
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) {
        issue(
            "a REST catalog takes the name of a warehouse, not its location",
            "Give the name under which the catalog knows the warehouse, e.g. fluss",
        );
    } else if (!/^[^\s/\p{Cc}\p{Cs}]+$/u.test(name)) {
        issue(
            "a warehouse name must not be empty and must not contain blanks, slashes or control characters",
            "Choose another name",
        );
    } else if (new TextEncoder().encode(name).length > 128) {
        issue("a warehouse name has at most 128 bytes", "Choose a shorter name");
    }
});

/** S3 bucket: 3 to 63 of `a-z0-9.-`, letter or digit at both ends, no `..`, not like an IP address. */
export const bucketName = named(
    /^(?!.*\.\.)(?!(?:\d+\.){3}\d+$)(?=.{3,63}$)[a-z0-9][a-z0-9.-]*[a-z0-9]$/,
    "a bucket is named with 3 to 63 lower-case letters, digits, inner dots and hyphens, and not like an IP address",
);

/** SASL user of Fluss: the JAAS parser gives up on `@ + / :` and blanks, and then the server does not start. */
export const saslUsername = named(
    /^[A-Za-z0-9_.-]+$/,
    "a SASL user is named with letters, digits, . _ and - (others break the server's JAAS file)",
);

/**
 * SASL password of Fluss as it stands in a JAAS file: no `"`, no `\`, no control character. Where the password is part
 * of an option (plain processes) the rules of `fluss-config.ts` come on top.
 */
export const saslPassword = z
    .string()
    .min(1, { error: "is empty" })
    .refine((password) => !/["\\\p{Cc}]/u.test(password), {
        error: 'a SASL password must not contain ", \\ or control characters (they break the JAAS file)',
        params: { fix: "Generate one from letters, digits and _ - ." },
    });

/** Environment variable, as Fluss's `${env:NAME}` and a Kubernetes container take it. */
export const environmentName = named(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "an environment variable is named with letters, digits and _, not starting with a digit",
);

function named(pattern: RegExp, reason: string) {
    return z.string().refine((name) => pattern.test(name), {
        error: reason,
        params: { fix: "Choose a name of that form" },
    });
}
