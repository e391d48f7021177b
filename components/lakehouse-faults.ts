import type { Fault } from "../model/faults.ts";
import { flussChartFaults } from "./fluss-cluster-faults.ts";
import { lakekeeperChartFaults } from "./lakekeeper-catalog-faults.ts";
import type { LakehouseFlussChart, StreamingLakehouseArgs } from "./streaming-lakehouse.ts";

/** The faults of what Helm installs in a lakehouse, as far as they are known while the program runs. */
export function lakehouseFaults(args: StreamingLakehouseArgs): Fault[] {
    const { fluss, flussVersion, lakekeeper } = args;
    return [
        ...("chart" in lakekeeper ? lakekeeperChartFaults(lakekeeper.chart, "lakekeeper.chart") : []),
        ...("chart" in fluss
            ? flussChartFaults(chartOfRelease(flussVersion, fluss.chart), "fluss.chart")
            : []),
    ];
}

/** Fluss' chart in the release of the lakehouse, where no other is given. */
export function chartOfRelease(release: string, chart: LakehouseFlussChart): LakehouseFlussChart {
    const { version = release, ...source } = chart.chart ?? {};
    return { ...chart, chart: { ...source, version } };
}
