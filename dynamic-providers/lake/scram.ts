import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** What proves a password to PostgreSQL without telling it (RFC 5802 and 7677, SCRAM-SHA-256 without channel binding). */
export class Scram {
    readonly #password: string;
    readonly #nonce: string;
    #signature: Buffer | undefined;

    /** @param nonce for the RFC's example; random otherwise */
    constructor(password: string, nonce = randomBytes(18).toString("base64")) {
        // The part of SASLprep that changes letters; PostgreSQL and its drivers do the same.
        this.#password = password.normalize("NFKC");
        this.#nonce = nonce;
    }

    /** PostgreSQL takes the user from the beginning of the connection. */
    first(user = ""): string {
        return `n,,n=${user},r=${this.#nonce}`;
    }

    /** @throws for a challenge that is none, or that would cost minutes */
    answer(challenge: string, user = ""): string {
        const { r = "", s = "", i = "" } = attributes(challenge);
        const rounds = Number(i);
        if (!r.startsWith(this.#nonce) || !Number.isInteger(rounds) || rounds < 1 || rounds > 1_000_000) {
            throw new Error("its challenge is not one of SCRAM-SHA-256");
        }
        const salted = pbkdf2Sync(this.#password, Buffer.from(s, "base64"), rounds, 32, "sha256");
        const clientKey = hmac(salted, "Client Key");
        const end = `c=biws,r=${r}`;
        const signed = `${this.first(user).slice(3)},${challenge},${end}`;
        const signature = hmac(createHash("sha256").update(clientKey).digest(), signed);
        const proof = Buffer.from(clientKey.map((byte, index) => byte ^ signature[index]!));
        this.#signature = hmac(hmac(salted, "Server Key"), signed);
        return `${end},p=${proof.toString("base64")}`;
    }

    /** Whether the server knows the password, too. */
    proves(final: string): boolean {
        const { v = "" } = attributes(final);
        return this.#signature?.equals(Buffer.from(v, "base64")) ?? false;
    }
}

function attributes(text: string): Record<string, string> {
    return Object.fromEntries(text.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}

function hmac(key: Buffer, text: string): Buffer {
    return createHmac("sha256", key).update(text).digest();
}
