import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SessionPool } from "../../../dynamic-providers/flink-sql/session-pool.ts";

function counted(limit: number) {
    const opened: { used: number; most: number }[] = [];
    const open = async () => {
        await sleep(1);
        const session = { used: 0, most: 0 };
        opened.push(session);
        return session;
    };
    return { opened, pool: new SessionPool(open, limit) };
}

test("a session runs one statement at a time, and no more are opened than allowed", async () => {
    const { opened, pool } = counted(4);
    const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
            pool.use(
                async (session) => {
                    session.most = Math.max(session.most, ++session.used);
                    await sleep(1);
                    session.used--;
                    return index;
                },
                () => true,
            ),
        ),
    );
    expect(results).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(opened).toHaveLength(4);
    expect(opened.map(({ most }) => most)).toEqual([1, 1, 1, 1]);
});

test("a session is kept after a refusal, and dropped when nobody knows what it does", async () => {
    const { opened, pool } = counted(1);
    const failing = (keep: boolean) =>
        pool.use(
            () => Promise.reject(new Error("no")),
            () => keep,
        );
    await expect(failing(true)).rejects.toThrow("no");
    await expect(failing(false)).rejects.toThrow("no");
    expect(opened).toHaveLength(1);
    await pool.use(
        async () => undefined,
        () => true,
    );
    expect(opened).toHaveLength(2);
});

test("a session that cannot be opened fails its caller, and the next one tries again", async () => {
    let works = false;
    const pool = new SessionPool(async () => {
        if (!works) throw new Error("not yet");
        return "session";
    }, 1);
    const use = () =>
        pool.use(
            async (session) => session,
            () => true,
        );
    await expect(Promise.all([use(), use()])).rejects.toThrow("not yet");
    works = true;
    expect(await use()).toBe("session");
});
