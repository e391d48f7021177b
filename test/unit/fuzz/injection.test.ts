/** Whatever text stands in a name, a value or a comment, it stays that text in each language that it is written into. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { Marked, type Token } from "marked";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { block, code, htmlCode } from "../../../cli/preview/markdown.ts";
import { HttpClient } from "../../../dynamic-providers/http/client.ts";
import { dialect } from "../../../dynamic-providers/vvp/dialect.ts";
import {
    addPartitions,
    createCatalog,
    createDatabase,
    defineLake,
    FaultsError,
    flinkRunCommand,
    identifier,
    literal,
    resetOptions,
    serverOptions,
    setOptions,
} from "../../../model/index.ts";
import { coreSiteXml } from "../../../model/lake-core-site.ts";
import { defineReaders } from "../../../model/readers.ts";
import { lex } from "../../../model/table-lexer.ts";
import { type cluster, lakeInput } from "../model/fixtures/quickstart.ts";
import { cases, hostileText } from "./mutants.ts";

const runs = { numRuns: cases };

describe(`${cases} texts in SQL`, () => {
    /** Kinds and values of the tokens, as a server reads them. */
    const tokens = (sql: string) => lex(sql).map((token) => [token.kind, token.value]);
    /** A name with a line break, or an empty one, is refused before it gets here. */
    const oneLine = hostileText.filter((text) => !/[\r\n]/.test(text) && text !== "");
    const harmless = (make: (text: string) => string) => tokens(make("word")).length;

    it.each<[string, (text: string) => string]>([
        ["a name", (text) => identifier(text)],
        ["a literal", (text) => literal(text)],
        ["a database", (text) => createDatabase(text, { name: text, comment: `${text}.` })],
        ["a catalog", (text) => createCatalog({ name: text, options: { [`${text}.`]: text } })],
        ["a partition", (text) => addPartitions("c", { database: text, name: text }, [{ [text]: text }])],
        ["options", (text) => setOptions("c", { database: "d", name: text }, [[text, text]])],
        ["no options", (text) => resetOptions("c", { database: "d", name: text }, [text])],
    ])("%s stays one", (_, make) => {
        const expected = harmless(make);
        fc.assert(
            fc.property(oneLine, (text) => {
                const read = tokens(make(text));
                expect(read).toHaveLength(expected);
                expect(read.map(([, value]) => value)).toContain(text);
            }),
            runs,
        );
    });
});

describe(`${cases} texts in a shell`, () => {
    it("reach the program as they are", () => {
        // A process cannot be given a null character, nor half a character.
        const text = hostileText.filter((one) => !one.includes("\0") && isWellFormed(one));
        const texts = fc.sample(text, cases);
        const commands = texts.map((one) =>
            // A class with a dash in front is refused: Flink would take it for an option.
            flinkRunCommand({ jar: "job.jar", entryClass: `c${one}`, arguments: [["a.b", one]] }),
        );
        const input = `flink() { printf '%s\\0' "$@"; }\n${commands.join("\n")}\n`;
        const { stdout } = spawnSync("/bin/sh", ["-s"], { input, maxBuffer: 64 * 1024 * 1024 });
        const shown = stdout.toString().split("\0").slice(0, -1);
        const expected = texts.flatMap((one) => [
            "run",
            "--detached",
            "--class",
            `c${one}`,
            "job.jar",
            "--a.b",
            one,
        ]);
        expect(shown).toEqual(expected);
    });
});

describe(`${cases} texts in a URL`, () => {
    it.each<[string, (text: string) => string]>([
        ["a secret value", (text) => dialect.secretValue.item(text, text)],
        ["a deployment target", (text) => dialect.deploymentTarget.item(text, text)],
        ["a session cluster", (text) => dialect.sessionCluster.item(text, text)],
    ])("the path of %s has the parts that it should, or is refused", async (_, path) => {
        const parts = path("word").split("/");
        await fc.assert(
            fc.asyncProperty(
                hostileText.filter((text) => text !== "" && isWellFormed(text)),
                async (text) => {
                    const made = path(text);
                    const { pathname, search, hash } = new URL(`https://vvp.example.com${made}`);
                    const read = pathname.split("/").map(decodeURIComponent);
                    const isStep = /^(\.|%2e){1,2}$/i.test(encodeURIComponent(text));
                    if (isStep) {
                        await expect(refused(made)).resolves.toMatch(/no path can name/);
                        return;
                    }
                    expect([search, hash, read.length]).toEqual(["", "", parts.length]);
                    expect(read).toEqual(parts.map((part) => (part === "word" ? text : part)));
                },
            ),
            runs,
        );
    });
});

describe(`${cases} texts in JAAS and server.yaml`, () => {
    it("of a user and a password stay those, or are refused", () => {
        let accepted = 0;
        fc.assert(
            fc.property(fc.oneof(hostileText, fc.constant("desk")), hostileText, (username, password) => {
                const sasl = {
                    users: [{ username, password: { value: password } }],
                    internal: { username: "internal", password: { value: "sesame" } },
                };
                const remote = {
                    type: "s3",
                    bucket: "acme-remote",
                    region: "eu-central-1",
                    prefix: "p",
                    accessKey: { id: { value: "AKIA" }, secret: { value: "key" } },
                } as const;
                const options = unlessRefused(() =>
                    serverOptions({ version: "1.0", remote, sasl } as typeof cluster, "value"),
                );
                if (!options) return;
                accepted += 1;
                expect(jaasUsers(options["security.sasl.plain.jaas.config"] ?? "")).toEqual({
                    [username]: password,
                    internal: "sesame",
                });
                for (const value of Object.values(options)) expect(value).not.toMatch(/[\n\r\0]/);
            }),
            runs,
        );
        expect(accepted).toBeGreaterThan(50);
    });
});

describe(`${cases} texts in the readers' files`, () => {
    it("of .pyiceberg.yaml, core-site.xml and SQL stay those, or are refused", { timeout: 60_000 }, () => {
        const client = { bootstrapServers: "h:1", sasl: { username: "u", password: { value: "sesame" } } };
        let accepted = 0;
        fc.assert(
            fc.property(hostileText, (text) => {
                const known = unlessRefused(() => {
                    const lake = defineLake({
                        catalog: {
                            ...lakeInput.catalog,
                            fileIo: "hadoop",
                            auth: { type: "token", token: { value: text } },
                        },
                        storage: {
                            ...lakeInput.storage,
                            accessKey: { id: { value: "AKIA" }, secret: { value: text } },
                        },
                    });
                    const { readers } = defineReaders({ catalog: "desk", client, lake });
                    return { readers, xml: coreSiteXml(lake) ?? "" };
                });
                if (!known) return;
                accepted += 1;
                const yaml = parseYaml(known.readers.pyIceberg?.text ?? "") as PyIceberg;
                expect(yaml.catalog.desk.token).toBe(text);
                const statement = lex(known.readers.flink?.text ?? "");
                expect(statement.map(({ value }) => value)).toContain(text);
                const { xml } = known;
                const values = [...xml.matchAll(/<value>([^<]*)<\/value>/g)].map(([, value]) =>
                    unescaped(value ?? ""),
                );
                expect(values).toContain(text);
                expect(xml.match(/<property>/g)?.length).toBe(values.length);
            }),
            runs,
        );
        expect(accepted).toBeGreaterThan(cases / 100);
    });
});

describe(`${cases} texts in Markdown`, () => {
    const kinds = (markdown: string) => {
        const walk = (list: Token[]): string[] =>
            list.flatMap((token) => [token.type, ...walk(("tokens" in token && token.tokens) || [])]);
        return walk(new Marked({ gfm: true }).lexer(markdown)).filter((kind) => kind !== "text");
    };

    it.each<[string, (text: string) => string]>([
        ["a code span", (text) => code(text)],
        ["a block", (text) => block("sql", text)],
        ["a line of HTML", (text) => `<details><summary>${htmlCode(text)}</summary>\n\n</details>`],
    ])("stay within %s", (_, make) => {
        const expected = kinds(make("word"));
        fc.assert(
            fc.property(hostileText, (text) => {
                expect(kinds(make(text))).toEqual(expected);
            }),
            runs,
        );
    });
});

/** Half a character cannot be written in UTF-8. */
function isWellFormed(text: string): boolean {
    return Buffer.from(text).toString() === text;
}

interface PyIceberg {
    catalog: { desk: { token: string } };
}

async function refused(path: string): Promise<string> {
    const client = new HttpClient({ system: "Test", baseUrl: "http://127.0.0.1:9" });
    return client.call({ method: "GET", path, action: "try" }).then(
        () => "nothing",
        (error: Error) => error.message,
    );
}

/** Undefined when the input was refused with faults; any other failure is one of the test. */
function unlessRefused<T>(work: () => T): T | undefined {
    try {
        return work();
    } catch (error) {
        expect(error).toBeInstanceOf(FaultsError);
        return undefined;
    }
}

/** Users and passwords as Java's parser of JAAS reads them: quoted strings with no way out. */
function jaasUsers(config: string): Record<string, string> {
    expect(config).toMatch(/^[\w.]+ required( user_[\w.-]+="[^"\\]*")+;$/);
    const users = [...config.matchAll(/ user_([\w.-]+)="([^"\\]*)"/g)];
    return Object.fromEntries(users.map(([, name = "", password = ""]) => [name, password]));
}

function unescaped(text: string): string {
    return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
