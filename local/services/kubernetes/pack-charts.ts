import fs from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { runCommand } from "../../toolchain/command.ts";

/** A chart of `charts/` under one of the versions that the vendor's chart has. */
export interface Chart {
    name: "fluss" | "fluss-bundle" | "lakekeeper";
    version: string;
}

/** A packed chart: the archive as Helm reads it, and its `Chart.yaml` as an object. */
export interface PackedChart extends Chart {
    archive: Buffer;
    metadata: Record<string, unknown>;
}

/** Packs each chart, its subcharts inside, below `folder`. */
export async function packCharts(folder: string, charts: Chart[]): Promise<PackedChart[]> {
    const packed: PackedChart[] = [];
    for (const { name, version } of charts) {
        const place = path.join(folder, `${name}-${version}`);
        const metadata = copyChart(name, version, path.join(place, name));
        const archive = path.join(place, "chart.tgz");
        await runCommand("tar", ["-czf", archive, "-C", place, name], { hint: "Is the disk full?" });
        packed.push({ name, version, archive: fs.readFileSync(archive), metadata });
    }
    return packed;
}

function copyChart(name: string, version: string, target: string): Record<string, unknown> {
    fs.cpSync(path.join(import.meta.dirname, "charts", name), target, { recursive: true });
    const file = path.join(target, "Chart.yaml");
    const metadata = parse(fs.readFileSync(file, "utf8")) as Record<string, unknown>;
    const subcharts = (metadata["dependencies"] ?? []) as { name: string; version: string }[];
    for (const subchart of subcharts) {
        subchart.version = version;
        copyChart(subchart.name, version, path.join(target, "charts", subchart.name));
    }
    Object.assign(metadata, { version, appVersion: version });
    fs.writeFileSync(file, stringify(metadata));
    return metadata;
}
