/** A few sessions that are used again and again; each is used by one caller at a time. */
export class SessionPool<S> {
    readonly #open: () => Promise<S>;
    readonly #limit: number;
    readonly #idle: S[] = [];
    readonly #waiting: (() => void)[] = [];
    #used = 0;

    /**
     * @param open makes a session
     * @param limit how many there are at most; more callers wait
     */
    constructor(open: () => Promise<S>, limit: number) {
        this.#open = open;
        this.#limit = limit;
    }

    /**
     * Runs `work` with a session. When it fails the session is not used again, unless `keep` says that the failure
     * left it whole.
     */
    async use<T>(work: (session: S) => Promise<T>, keep: (error: unknown) => boolean): Promise<T> {
        while (this.#used >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        this.#used += 1;
        try {
            const session = this.#idle.pop() ?? (await this.#open());
            try {
                const result = await work(session);
                this.#idle.push(session);
                return result;
            } catch (error) {
                if (keep(error)) this.#idle.push(session);
                throw error;
            }
        } finally {
            this.#used -= 1;
            this.#waiting.shift()?.();
        }
    }
}
