/** A text as one word of a shell's command. Single quotes keep everything but themselves. */
export function shellWord(text: string): string {
    return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
