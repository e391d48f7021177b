import { describe, expect, test } from "vitest";
import { optionsIn, withoutSecretOptions } from "../../../model/text-options.ts";

describe("options in a text", () => {
    test.each([
        [
            "--a 1 --b=2",
            [
                ["a", "1"],
                ["b", "2"],
            ],
        ],
        [
            "-Da.b=1 -D c=2 -d 3",
            [
                ["a.b", "1"],
                ["c", "2"],
                ["d", "3"],
            ],
        ],
        ["--flag --a 1", [["a", "1"]]],
        [
            "--a \"1 2\" --b='3 4'",
            [
                ["a", '"1 2"'],
                ["b", "'3 4'"],
            ],
        ],
        [
            "https://x.example/?a=1&b=2#c",
            [
                ["a", "1"],
                ["b", "2"],
            ],
        ],
        [
            '["--a","1 2","-Db=3"]',
            [
                ["a", "1 2"],
                ["b", '3"]'],
            ],
        ],
        ["a word, a pre-a b, and no option", []],
    ])("%s", (text, options) => {
        expect(optionsIn(text).map(({ name, value }) => [name, value])).toEqual(options);
    });
});

describe("without the values of secrets", () => {
    test.each([
        ["-Dx.password=hush --y 1", "-Dx.password=*** --y 1"],
        ['--token ${secret_values.t} -Dtoken="${env:T}"', '--token ${secret_values.t} -Dtoken="${env:T}"'],
        ["--token ${a}hush", "--token ***"],
        ['"--token \\"hush hush\\" --a b"', '"--token *** --a b"'],
        ["--password --token hush", "--password --token ***"],
        ["jdbc:postgresql://db/x?user=a&password=hush", "jdbc:postgresql://db/x?user=a&password=***"],
        ["give --token to the command", "give --token *** the command"],
    ])("%s", (text, clean) => {
        expect(withoutSecretOptions(text)).toBe(clean);
    });
});
