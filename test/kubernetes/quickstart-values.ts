import fs from "node:fs";
import path from "node:path";
import { parse } from "yaml";

/** The parts of values.yaml that tests change. */
export interface QuickstartValues {
    fluss: {
        configurationOverrides: Record<string, string>;
        tablet: { podAnnotations?: object; extraEnv?: unknown; readinessProbe: { healthCheckAuth: string } };
        coordinator: { podAnnotations?: object };
    };
    zookeeper: { podAnnotations?: object };
}

const root = path.resolve(import.meta.dirname, "../..");

/**
 * values.yaml of the quickstart with its placeholders filled in: out of the document's text where that is at hand
 * (`PULUMI_FLUSS_SEEDS`, or `../shared/seeds`), from the fixture otherwise.
 */
export function quickstartValues(): QuickstartValues {
    const written = valuesBetween("Save the values as values.yaml:", "The volume sizes are an example");
    if (written) return written as QuickstartValues;
    const fixture = path.join(root, "test/unit/model/fixtures/fluss-values.yaml");
    return parse(fs.readFileSync(fixture, "utf8").replaceAll("gp3", "kwok-volume"));
}

/** lakekeeper-values.yaml of the quickstart, in the same way. */
export function lakekeeperQuickstartValues(): Record<string, unknown> {
    const written = valuesBetween(
        "Save the values as lakekeeper-values.yaml:",
        "<NAMESPACE> is the Kubernetes",
    );
    if (written) return written as Record<string, unknown>;
    return {
        postgresql: { storage: { className: "kwok-volume" } },
        auth: { k8s: { enabled: true, legacyEnabled: true } },
    };
}

/** The numbered lines of the document between two texts, as YAML; undefined where it is not at hand. */
function valuesBetween(first: string, last: string): unknown {
    const text = documentText();
    if (text === undefined) return undefined;
    const begin = text.indexOf(first);
    const lines = text
        .slice(begin, text.indexOf(last, begin))
        .split("\n")
        .filter((line) => /^\d/.test(line));
    return parse(
        lines
            .map((line) => line.replace(/^\d+/, ""))
            .join("\n")
            .replaceAll(/<([A-Z_]+)>/g, (_, name: string) => placeholders[name] ?? name),
    );
}

const placeholders: Record<string, string> = {
    REMOTE_BUCKET: "acme-fluss-remote",
    AWS_REGION: "eu-central-1",
    NAMESPACE: "fluss",
    STORAGE_CLASS: "kwok-volume",
    ZK_USERNAME: "zookeeper",
};

function documentText(): string | undefined {
    const folder = process.env["PULUMI_FLUSS_SEEDS"] ?? path.resolve(root, "../shared/seeds");
    if (!fs.existsSync(folder)) return undefined;
    const file = fs.readdirSync(folder).find((name) => name.startsWith("000_"));
    return file && fs.readFileSync(path.join(folder, file), "utf8");
}
