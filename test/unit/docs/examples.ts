/** The code blocks of README and docs/. */
import fs from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../../..");

/** One fenced block of a page. */
export interface Block {
    /** Relative to the repository. */
    page: string;
    /** Line of the page on which its first line stands. */
    line: number;
    language: string;
    text: string;
}

/** Every block in one of these languages, page by page. */
export function blocks(...languages: string[]): Block[] {
    return pages().flatMap((page) => {
        const text = fs.readFileSync(path.join(root, page), "utf8");
        return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap((match) => {
            const [, language = "", body = ""] = match;
            const line = text.slice(0, match.index).split("\n").length + 1;
            return languages.includes(language) ? [{ page, line, language, text: body }] : [];
        });
    });
}

function pages(): string[] {
    const docs = fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" });
    return ["README.md", ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)].sort();
}
