// `npm run local:down`: stops the local lakehouse and drops its data and Pulumi state; both are made anew by the next
// `npm start`. Logs stay in `.local/logs`.
import { alone, dropEverything, hasState, lakehouseRoot } from "./lakehouse.ts";
import { Supervisor } from "./services/supervisor.ts";

const root = lakehouseRoot();
await alone(root, console.log, async () => {
    const running = new Supervisor(root).status().filter((service) => service.alive);
    if (running.length === 0 && !hasState(root)) {
        console.log("The local lakehouse is not running, and there is nothing to drop.");
        return;
    }
    console.log(`Stopping ${running.map((service) => service.name).join(", ") || "nothing"} …`);
    await dropEverything(root);
    console.log("Stopped. Data and Pulumi state are dropped; the logs are still in .local/logs.");
});
