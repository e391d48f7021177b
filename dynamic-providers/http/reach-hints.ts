/** What to do about a connection that failed before the server could hear anything; undefined for any other failure. */
export function connectionHint(code: string | undefined, origin: string): string | undefined {
    if (code === undefined) return undefined;
    if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$|^EPROTO$/.test(code)) {
        return `what answers at ${origin} does not speak TLS: give the URL with http://, or the port of TLS`;
    }
    if (/^(DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY|GET)_/.test(code)) {
        return `the certificate of ${origin} comes from an authority that is not known here: name the file with the authority's certificate in NODE_EXTRA_CA_CERTS`;
    }
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
        return `the certificate at ${origin} is for another name: give the URL with the name that stands in it`;
    }
    if (code === "CERT_HAS_EXPIRED") return `the certificate of ${origin} has expired: renew it`;
    return undefined;
}

/** What to do about a connection that broke, or on which something else than HTTP was spoken. */
export function brokenHint(
    { code, message }: { code?: string; message: string },
    origin: string,
): string | undefined {
    if (/does not match the HTTP/.test(message)) {
        return `what answers at ${origin} does not speak HTTP: check the port of the URL`;
    }
    if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") {
        return `the connection was broken off: try again, and if that always happens, check whether ${origin} wants https://`;
    }
    return undefined;
}

/** Where a server wants its callers to go; undefined for an answer that is no redirect. It is never followed. */
export function redirectHint(status: number, location: string, asked: URL): string | undefined {
    if (![301, 302, 303, 307, 308].includes(status)) return undefined;
    const target =
        location !== "" && URL.canParse(location, asked.href) ? new URL(location, asked.href) : undefined;
    if (!target) return "the server sends its callers elsewhere and does not say where: check the URL";
    // Its query may hold what a login page was given.
    const place = target.origin + target.pathname;
    if (target.hostname === asked.hostname && target.pathname === asked.pathname) {
        return `the server is at ${target.origin}: give the URL with that`;
    }
    return `it sends its callers to ${place}, most often a login page or a gateway: check the URL and the proxy`;
}
