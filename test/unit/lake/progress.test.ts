import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lakeProgress } from "../../../dynamic-providers/lake/progress.ts";
import { catalogSchema } from "../../../model/lake-catalog.ts";
import { startTokenProxy, type TokenProxy } from "../../fluss/token-proxy.ts";
import { lead } from "../../lakekeeper/lead.ts";

/** A catalog with one table, simulated; the real one answers in `test/fluss/tiering-session.test.ts`. */
const oauth = { clientId: "fluss", clientSecret: "s3same", scope: "PRINCIPAL_ROLE:ALL" };
const tiering = "__fluss_lake_tiering";
const aMinuteAgo = Date.now() - 60_000;
/** What of the table the catalog answers to the next reads; the last one stays. */
let answers: object[];
let asked: string[];
let proxy: TokenProxy;
let close: () => Promise<unknown>;
let warnings: () => string;

beforeEach(async () => {
    asked = [];
    answers = [];
    const backend = http.createServer((request, answer) => {
        asked.push(request.url ?? "");
        if (request.url?.startsWith("/v1/config")) return answer.end('{"overrides":{"prefix":"w-1"}}');
        if (request.url === "/v1/w-1/namespaces/desk/tables/trades") {
            const metadata = answers.length > 1 ? answers.shift() : answers[0];
            return answer.end(JSON.stringify({ metadata, config: { "s3.secret-access-key": "vended-key" } }));
        }
        const message = "Table does not exist: desk.nothing";
        answer.writeHead(404, { "content-type": "application/json" });
        return answer.end(JSON.stringify({ error: { message, type: "NoSuchTableException", code: 404 } }));
    });
    await new Promise<void>((done) => backend.listen(0, "127.0.0.1", done));
    const { port } = backend.address() as AddressInfo;
    proxy = await startTokenProxy({
        backend: `http://127.0.0.1:${port}`,
        token: "the-token",
        warehouse: "fluss",
        oauth,
    });
    close = () => Promise.all([proxy.close(), new Promise((done) => backend.close(done))]);
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    warnings = () => warned.mock.calls.flat().join("\n");
});
afterEach(async () => {
    await close();
    vi.restoreAllMocks();
});

const token = (value = "the-token") => ({ type: "token", token: { value } }) as const;
const client = {
    type: "oauth",
    clientId: oauth.clientId,
    clientSecret: { value: oauth.clientSecret },
    scope: oauth.scope,
} as const;
const args = (change: object = {}, catalog: object = {}) => ({
    catalog: catalogSchema.parse({
        type: "rest",
        uri: proxy.url,
        warehouse: "fluss",
        auth: token(),
        ...catalog,
    }),
    table: "desk.trades",
    withinSeconds: 0.3,
    timeoutSeconds: 0.5,
    ...change,
});
/** The table after some commits: `t` by the tiering service, any other by somebody else. */
const table = (commits: string, base = aMinuteAgo) => ({
    "format-version": 2,
    properties: { "fluss.table.datalake.freshness": "30s" },
    snapshots: [...commits].map((by, index) => ({
        "timestamp-ms": base + index,
        "sequence-number": index + 1,
        summary: { operation: "append", ...(by === "t" ? { "commit-user": tiering } : {}) },
    })),
});

describe("a table of the lake", () => {
    it.each([
        ["with a token, of which the first snapshot is waited for", "", "t", token()],
        ["with an OAuth client, of which one more is", "tt", "ttt", client],
    ])("%s is there once the tiering service has committed", async (_, before, after, auth) => {
        answers = [table(before), table(before), table(after)];
        const made = lead(lakeProgress);
        await made.create(args({ withinSeconds: 5 }, { auth }));
        expect(made.id).toBe("fluss/desk.trades");
        const committed = new Date(aMinuteAgo + after.length - 1).toISOString();
        expect(made.state).toMatchObject({ committedAt: committed });
        expect(JSON.stringify(made.state)).not.toContain("vended-key");
        expect(asked.filter((url) => url.startsWith("/v1/config"))).toHaveLength(1);
    });

    it.each([
        ["stands still", "tt", "tt", /but its newest one is of \d{4}-.*Z\./],
        ["never had one of the tiering service", "", "", /but it has none\./],
        ["grows by others alone", "t", "tpp", /its newest one is of .*; 2 are of others/],
    ])("that %s is an error, which says what to look at", async (_, before, after, reason) => {
        answers = [table(before), table(after)];
        const wait = lead(lakeProgress).create(args());
        await expect(wait).rejects.toThrow(reason);
        await expect(wait).rejects.toThrow(
            /a new snapshot of the tiering service in table desk\.trades of warehouse 'fluss' at http/,
        );
        await expect(wait).rejects.toThrow(
            /What to do: look whether rows arrive in desk\.trades .*job restarts.*withinSeconds .*\(30s\)/,
        );
        await expect(wait).rejects.not.toThrow(/the-token|vended-key/);
    });

    it("that the catalog does not know is told at once", async () => {
        const absent = lead(lakeProgress).create(args({ table: "desk.nothing", withinSeconds: 60 }));
        await expect(absent).rejects.toThrow(/could not find table desk\.nothing of warehouse 'fluss'/);
        await expect(absent).rejects.toThrow(/What to do: .*'table\.datalake\.enabled' = 'true'/);
    });

    it("is waited for again after another start of the job, and not for another token", async () => {
        answers = [table("t"), table("tt")];
        const made = lead(lakeProgress);
        await made.create(args({ trigger: "job-1", withinSeconds: 5 }));
        expect(await made.up(args({ trigger: "job-1" }))).toBe("same");
        proxy.accept("the-next");
        expect(await made.up(args({ trigger: "job-1" }, { auth: token("the-next") }))).toBe("update");
        const restarted = args({ trigger: "job-2" }, { auth: token("the-next") });
        await expect(made.up(restarted)).rejects.toThrow(/but its newest one is of/);
        // The failure is not recorded, so the next run looks once more.
        answers = [table("tt"), table("ttt")];
        expect(await made.up({ ...restarted, withinSeconds: 5 })).toBe("update");
    });

    it("in a refresh is warned of when it has not grown for as long as a wait", async () => {
        answers = [table("", 0), table("t", Date.now())];
        const made = lead(lakeProgress);
        await made.create(args({ withinSeconds: 5 }));
        expect(await made.refresh()).toBe("there");
        expect(warnings()).toBe("");
        answers = [table("t", Date.now() - 6000)];
        expect(await made.refresh()).toBe("there");
        expect(warnings()).toMatch(/table desk\.trades .*its newest one is of .*look whether rows arrive/);
        const { committedAt } = made.state;
        await proxy.close();
        expect(await made.refresh()).toBe("there");
        expect(warnings()).toMatch(/could not read table|could not read the configuration/);
        expect(made.state).toMatchObject({ committedAt });
    });
});

it("without a time of its own has the table's freshness and four minutes", async () => {
    const made = lead(lakeProgress);
    answers = [table(""), table("t", Date.now() - 260_000)];
    await made.create(args({ withinSeconds: undefined }));
    await made.refresh();
    expect(warnings()).toBe("");
    answers = [table("t", Date.now() - 280_000)];
    await made.refresh();
    expect(warnings()).toContain("its newest one is of");
});

describe("a preview", () => {
    it.each([
        ["a Hadoop catalog", { type: "hadoop" }, /catalog\.type = "hadoop": it has no server.*SqlJob/],
        [
            "a JDBC catalog",
            { type: "jdbc", name: "c", uri: "jdbc:postgresql://h/d", user: "u", password: { value: "p" } },
            /catalog\.type = "jdbc": .*no REST API.*SqlJob/,
        ],
        [
            "a token that is only a name",
            {
                type: "rest",
                uri: "http://catalog:8181/catalog",
                warehouse: "fluss",
                auth: { type: "token", token: { secretValue: "lake-token" } },
            },
            /catalog\.auth\.token: .*this secret has no "value"/,
        ],
    ])("refuses %s", async (_, catalog, reason) => {
        await expect(
            lead(lakeProgress).check({ catalog: catalogSchema.parse(catalog), table: "desk.trades" }),
        ).rejects.toThrow(reason);
    });

    it("refuses a table without its database, and calls nobody", async () => {
        await expect(lead(lakeProgress).check(args({ table: "trades" }))).rejects.toThrow(/database\.table/);
        await lead(lakeProgress).check(args());
        expect(asked).toEqual([]);
    });
});

it("a catalog that only the jobs reach is told with the ways to it", async () => {
    const away = lead(lakeProgress).create(args({}, { uri: "http://127.0.0.1:1" }));
    await expect(away).rejects.toThrow(/give portForward, or the catalog as it is reached from here/);
});
