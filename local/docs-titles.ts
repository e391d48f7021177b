import { type Application, Converter, type DocumentReflection } from "typedoc";

/** A plug-in of typedoc: pages are called as their first heading says, and not by the names of their files. */
export function load({ converter }: Application): void {
    converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context: unknown, page: DocumentReflection) => {
        const [first] = page.content;
        const heading = first?.kind === "text" ? /^# (.+)\n+/.exec(first.text) : undefined;
        if (!first || !heading) return;
        page.name = heading[1]!.replaceAll("`", "");
        first.text = first.text.slice(heading[0].length);
    });
}
