import type { Tally } from "./matrix.ts";

/** Prints what a run of the matrix has found: all counts of the second line must be 0. */
export function printTallies(tallies: readonly Tally[]): void {
    const sum = (figure: (tally: Tally) => number) =>
        tallies.reduce((total, tally) => total + figure(tally), 0);
    const failed = (kind: string) =>
        sum(({ failures }) => failures.filter((failure) => failure.includes(`: ${kind}`)).length);
    const facts = [
        `cases ${sum(({ cases }) => cases)}`,
        `gone through unharmed ${sum(({ unharmed }) => unharmed)}`,
        `killed ${sum(({ killed }) => killed)}`,
        `calls more than undisturbed ${sum(({ retries }) => retries)}`,
        `reached by taking over ${sum(({ adopted }) => adopted)}`,
        `with a spare object ${sum(({ spare }) => spare)}`,
    ];
    const counts = ["lost", "doubled", "orphaned", "wiped"].map((kind) => `${kind} ${failed(kind)}`);
    console.log(`${facts.join("; ")}\n${counts.join("; ")}`);
}
