import { type Application, Converter, type DocumentReflection } from "typedoc";

/** A plug-in of typedoc: pages are called as their first heading says, and not by the names of their files. */
export function load({ converter }: Application): void {
    converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context: unknown, page: DocumentReflection) => {
        if (page.content[0]?.text.startsWith("# "))
            page.name = takeHeading(page).replaceAll("`", "").slice(2);
    });
}

/** Takes the first line, of which code is a part of its own, off the page. */
function takeHeading({ content }: DocumentReflection): string {
    let heading = "";
    for (let part = content[0]; part; part = content[0]) {
        const end = part.text.indexOf("\n");
        if (end >= 0) {
            heading += part.text.slice(0, end);
            part.text = part.text.slice(end).trimStart();
            return heading;
        }
        heading += part.text;
        content.shift();
    }
    return heading;
}
