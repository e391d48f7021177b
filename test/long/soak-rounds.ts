/** Rounds of random valid changes to a lakehouse, and after each the question whether anything surprises. */

import { changesOf, type Outcome, type TestStack } from "../engine/engine.ts";
import { calledPlatform } from "../platform-call.ts";

/** Numbers that look random and are the same for a seed. */
export class Dice {
    #state: number;

    constructor(seed: number) {
        this.#state = seed >>> 0;
    }

    /** At least 0 and below `limit`. */
    below(limit: number): number {
        this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((this.#state / 2 ** 32) * limit);
    }

    oneOf<T>(list: readonly T[]): T {
        return list[this.below(list.length)]!;
    }
}

/** What a program can change; each change leaves at least one of everything. */
export type Change<W> = (wish: W, dice: Dice, round: number) => void;

/** What somebody does past the stack; returns the name of the resource that it meets. */
export type Outside<W> = (wish: W, dice: Dice) => Promise<string>;

/** A lakehouse in which rounds are made. */
export interface Soaked<W> {
    stack: TestStack;
    /** What the program declares. Each round changes one thing in it. */
    wish: W;
    changes: Record<string, Change<W>>;
    outsides: Record<string, Outside<W>>;
    /** Looks at what else must hold; returns what does not. */
    alsoLook?(round: number): Promise<string[]>;
}

/** What every lakehouse has that rounds are made in. */
export interface CommonWish {
    secrets: Record<string, string>;
    parallelism: number;
    tables: Record<string, { columns: string[] }>;
    warehouses: string[];
    roles: Record<string, string>;
}

/** Changes that any lakehouse takes. */
export const commonChanges: Record<string, Change<CommonWish>> = {
    "another value of a secret": ({ secrets }, dice, round) => {
        secrets[dice.oneOf(Object.keys(secrets))] = `value-of-round-${round}`;
    },
    "one secret more": ({ secrets }, _, round) => {
        secrets[`secret-${round}`] = `value-of-round-${round}`;
    },
    "one secret less": ({ secrets }, dice) => removeOne(secrets, dice),
    "one column more": ({ tables }, dice, round) => {
        tables[dice.oneOf(Object.keys(tables))]!.columns.push(`c${round}`);
    },
    "one warehouse more": ({ warehouses }, _, round) => void warehouses.push(`w${round}`),
    "one warehouse less": ({ warehouses }) => void (warehouses.length > 1 && warehouses.shift()),
    "another description of a role": ({ roles }, dice, round) => {
        roles[dice.oneOf(Object.keys(roles))] = `as of round ${round}`;
    },
    "one role more": ({ roles }, _, round) => {
        roles[`role-${round}`] = "new";
    },
};

/** Takes one away at random, but never the last. */
export function removeOne(from: Record<string, unknown>, dice: Dice): void {
    const names = Object.keys(from);
    if (names.length > 1) delete from[dice.oneOf(names)];
}

/** A platform, as somebody beside the stack reaches it. */
export interface Reached {
    url: string;
    token: string;
}

/** What somebody can do in any lakehouse. */
export function commonOutsides(platforms: {
    lakekeeper: Reached;
    vvp: Reached;
}): Record<string, Outside<CommonWish>> {
    const { lakekeeper, vvp } = platforms;
    const secretOf = ({ secrets }: CommonWish, dice: Dice) => dice.oneOf(Object.keys(secrets));
    const roleId = async (name: string) => {
        const { roles } = await calledPlatform(
            lakekeeper.url,
            lakekeeper.token,
            "GET",
            "/management/v1/role",
        );
        return (roles as { id: string; name: string }[]).find((role) => role.name === name)?.id ?? "";
    };
    const secretCall = (method: string, name: string, body?: object) =>
        calledPlatform(vvp.url, vvp.token, method, `/api/v1/namespaces/default/secret-values/${name}`, body);
    return {
        "a secret deleted": async (wish, dice) => {
            const name = secretOf(wish, dice);
            await secretCall("DELETE", name);
            return `secret:${name}`;
        },
        "a secret overwritten": async (wish, dice) => {
            const name = secretOf(wish, dice);
            await secretCall("PATCH", name, { spec: { kind: "PLAIN", value: "foreign" } });
            return `secret:${name}`;
        },
        "a role deleted": async ({ roles }, dice) => {
            const name = dice.oneOf(Object.keys(roles));
            const where = `/management/v1/role/${await roleId(name)}`;
            await calledPlatform(lakekeeper.url, lakekeeper.token, "DELETE", where);
            return `role:${name}`;
        },
    };
}

/** Makes the first `up` and the rounds; a last refresh must see nothing. @returns what was surprising; empty when nothing was */
export async function makeRounds<W>(
    { stack, wish, changes, outsides, alsoLook }: Soaked<W>,
    rounds: number,
    dice: Dice,
    say: (line: string) => void,
): Promise<string[]> {
    const surprises: string[] = [];
    const surprised = (line: string) => {
        surprises.push(line);
        say(`SURPRISE: ${line}`);
    };
    const counts = new Map<string, number>();
    const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
    /** Runs it, and compares what it changed with what it had to; undefined: whatever it wants. */
    const run = async (what: string, operation: () => Promise<Outcome>, expected?: string[]) => {
        try {
            const found = touched(await operation());
            if (expected !== undefined && found.join() !== expected.join())
                surprised(`${what}: changes of [${found.join(", ")}] instead of [${expected.join(", ")}]`);
            return found;
        } catch (error) {
            surprised(`${what} failed: ${messageOf(error)}`);
            return [];
        }
    };
    await stack.up();
    for (let round = 1; round <= rounds; round++) {
        const began = performance.now();
        const change = dice.oneOf(Object.keys(changes));
        count(change);
        changes[change]!(wish, dice, round);
        const made = await run(`round ${round}, ${change}`, () => stack.up());
        await run(`round ${round}, ${change}, no-change up`, () => stack.up(), []);
        const seen = await alsoLook?.(round).catch((error: unknown) => [messageOf(error)]);
        for (const line of seen ?? []) surprised(`round ${round}: ${line}`);
        const name = dice.oneOf(Object.keys(outsides));
        count(`outside: ${name}`);
        const met = await outsides[name]!(wish, dice).catch((error: unknown) => {
            surprised(`round ${round}, ${name} could not be done: ${messageOf(error)}`);
            return "nothing";
        });
        await run(`round ${round}, ${name}, refresh`, () => stack.refresh(), [met]);
        await run(`round ${round}, ${name}, the up that mends`, () => stack.up(), [met]);
        const seconds = ((performance.now() - began) / 1000).toFixed(0);
        say(
            `round ${round}, ${seconds} s: ${change} (${made.join(", ") || "nothing to do"}); ${name} (${met})`,
        );
    }
    await run("the refresh after the last round", () => stack.refresh(), []);
    for (const [kind, times] of [...counts].sort()) say(`${String(times).padStart(4)} x ${kind}`);
    return surprises;
}

function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

/** The names of the resources that an operation changed. */
function touched(outcome: Outcome): string[] {
    return [...new Set(changesOf(outcome).map(({ name }) => name))].sort();
}
