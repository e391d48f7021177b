// `npm run local:status`: which services of the local lakehouse run, where, and how much memory they take.
import { lakehouseRoot } from "./lakehouse.ts";
import { Supervisor } from "./services/supervisor.ts";

const services = new Supervisor(lakehouseRoot()).status();
if (services.length === 0) console.log("The local lakehouse was not started. Start it with: npm start");
for (const { name, alive, pid, rssMiB, peakMiB } of services) {
    const memory =
        rssMiB === undefined ? "" : `${Math.round(rssMiB)} MiB (peak ${Math.round(peakMiB ?? rssMiB)})`;
    console.log(
        `${name.padEnd(22)} ${alive ? `running, process ${pid}`.padEnd(26) : "not running".padEnd(26)} ${memory}`,
    );
}
