/** Tells a person what happens and for how long, and keeps the seconds of each phase for the summary. */
export class Phases {
    readonly seconds: Record<string, number> = {};
    readonly #started = Date.now();

    /** Runs one phase; its name stands in the summary, `title` on the screen. */
    async run<T>(name: string, title: string, work: () => Promise<T>): Promise<T> {
        this.say(`${title} …`);
        const started = Date.now();
        // A person who watches should see that something goes on.
        const beat = setInterval(() => this.say(`  … ${title}, ${secondsSince(started)} s so far`), 15_000);
        try {
            return await work();
        } finally {
            clearInterval(beat);
            this.seconds[name] = secondsSince(started);
        }
    }

    /** One line with the seconds since the start. */
    say(line: string): void {
        console.log(`${String(Math.round(secondsSince(this.#started))).padStart(4)} s  ${line}`);
    }

    total(): number {
        return secondsSince(this.#started);
    }
}

function secondsSince(start: number): number {
    return Math.round((Date.now() - start) / 100) / 10;
}
