/** A repository of images: `registry.example.com/team/fluss`. */
export interface ImageRepository {
    /** Scheme and host of the registry: `https://registry.example.com`. */
    origin: string;
    /** The registry's name, under which logins are kept: `registry.example.com`, `docker.io` for Docker Hub. */
    registry: string;
    /** Name of the repository on the registry: `team/fluss`. */
    path: string;
}

/**
 * Reads a repository as people write it, without tag: `registry.example.com/team/fluss`, `apache/fluss` for Docker Hub,
 * `http://127.0.0.1:5000/fluss` for a registry on this machine.
 * @throws when it is none, or would be read without TLS from elsewhere
 */
export function parseRepository(text: string): ImageRepository {
    const [, scheme = "https://", rest = ""] = /^(https?:\/\/)?(.*)$/s.exec(text) ?? [];
    const [first = "", ...steps] = rest.split("/");
    const named = scheme !== "https://" || text.startsWith("https://") || /[.:]|^localhost$/.test(first);
    const host = named && steps.length > 0 ? first : "docker.io";
    const path = host === first ? steps.join("/") : rest;
    if (!/^[\w.-]+(:\d+)?$|^\[[\da-fA-F:]+\](:\d+)?$/.test(host) || !pathForm.test(path)) {
        throw new Error(
            `'${shown(text)}' is no repository of images. What to do: write it without user, tag and digest, like registry.example.com/team/fluss`,
        );
    }
    if (scheme === "http://" && !isLoopback(new URL(`http://${host}`).hostname)) {
        throw new Error(
            `'${text}' would be read without TLS. What to do: write it without http://; that is for a registry on this machine only`,
        );
    }
    if (host !== "docker.io") return { origin: scheme + host, registry: host, path };
    return {
        origin: "https://registry-1.docker.io",
        registry: host,
        path: path.includes("/") ? path : `library/${path}`,
    };
}

const pathForm = /^[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/;

/** Whether a host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether files may be read from an address, with the login for its host: by TLS or on this machine, and it holds no login itself. */
export function isSafeAddress(text: string): boolean {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const safe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
    return safe && url?.username === "" && url.password === "" && url.search === "";
}

/** What is before an @ may be a password. */
function shown(text: string): string {
    return text.slice(text.lastIndexOf("@") + 1);
}
