import { type Application, Converter, type DocumentReflection } from "typedoc";

/** A plug-in of typedoc: pages are called as their first heading says, and not by the names of their files. */
export function load({ converter }: Application): void {
    converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context: unknown, page: DocumentReflection) => {
        const heading = headingOf(page);
        if (heading.startsWith("# ")) page.name = heading.replaceAll("`", "").slice(2);
    });
}

/** The first line, of which code is a part of its own. It stays on the page: the theme writes no title there. */
function headingOf({ content }: DocumentReflection): string {
    let heading = "";
    for (const { text } of content) {
        const end = text.indexOf("\n");
        if (end >= 0) return heading + text.slice(0, end);
        heading += text;
    }
    return heading;
}
