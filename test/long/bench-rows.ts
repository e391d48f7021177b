/** The figures of a benchmark, each with its goal beside it. */

import type { Cost } from "./engine-cost.ts";

/** One figure. Without a goal nothing is judged. */
export interface Row {
    name: string;
    value: number;
    goal: number | null;
    ok: boolean | null;
}

/** Rows in their order. */
export class Rows {
    readonly all: Row[] = [];

    /** A value and the most that it may be. */
    add(name: string, value: number, goal: number | null = null): void {
        const rounded = Math.round(value * 100) / 100;
        this.all.push({ name, value: rounded, goal, ok: goal === null ? null : rounded <= goal });
    }

    /** What an operation took as a multiple of what it took on the floor: on the clock, and of the processors. */
    compare(what: string, own: Cost, floor: Cost, goal: number): void {
        this.add(`${what}, times the floor`, own.seconds / floor.seconds, goal);
        this.add(`${what}, processors, times the floor`, own.cpuSeconds / floor.cpuSeconds, goal);
    }

    /** @returns whether every goal was met */
    print(): boolean {
        const width = Math.max(...this.all.map(({ name }) => name.length));
        for (const { name, value, goal, ok } of this.all) {
            const verdict = ok === null ? "" : ok ? "ok" : "MISSED";
            console.log(
                `${name.padEnd(width)}  ${String(value).padStart(8)}  ${String(goal ?? "-").padStart(7)}  ${verdict}`,
            );
        }
        return this.all.every(({ ok }) => ok !== false);
    }
}
