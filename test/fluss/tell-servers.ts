/** Beside a test that failed it is told, once for each file, what the servers last complained of: the cause may lie there. */
import { afterEach, inject } from "vitest";
import { Supervisor, serviceNames } from "../../local/services/index.ts";
import { noteForTheEnd } from "../notes.ts";

let told = false;

afterEach(({ task }) => {
    if (told || task.result?.state !== "fail") return;
    told = true;
    const supervisor = new Supervisor((inject("lakehouse") ?? inject("lakesBed")).root);
    const { flussCoordinator, flussTablet, flinkTaskManager } = serviceNames;
    for (const name of [flussCoordinator, flussTablet, flinkTaskManager]) {
        const complaints = supervisor.lastLines(name, / (WARN|ERROR) /).split("\n");
        for (const line of complaints.slice(-4))
            noteForTheEnd(`${task.name}: ${name}: ${line.slice(0, 300)}`);
    }
});
