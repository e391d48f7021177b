/** What a tier has to say at the very end of a run of several, beside its failures. */
import fs from "node:fs";

/** Names the file in which a tier's notes are kept for the end. */
export const notesVariable = "PULUMI_FLUSS_TEST_NOTES";

/** Prints the note, and keeps it for the end of the run. */
export function noteForTheEnd(note: string): void {
    console.log(note);
    const file = process.env[notesVariable];
    if (file !== undefined) fs.appendFileSync(file, `${note}\n`);
}

/** The lines of all notes that a tier has left in the file. */
export function readNotes(file: string): string[] {
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trimEnd().split("\n") : [];
}
