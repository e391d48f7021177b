import fs from "node:fs";
import { stringify } from "yaml";

/** The stages, and where port-forwards lead, as one file for `kwok --config`. */
export function writeKwokConfig(stages: string[], forwards: Record<number, number>): string {
    const documents = stages.map((file) => fs.readFileSync(file, "utf8").trim());
    const entries = Object.entries(forwards);
    if (entries.length > 0) {
        documents.push(
            stringify({
                apiVersion: "kwok.x-k8s.io/v1alpha1",
                kind: "ClusterPortForward",
                metadata: { name: "all" },
                spec: {
                    forwards: entries.map(([port, local]) => ({
                        ports: [Number(port)],
                        target: { port: local, address: "127.0.0.1" },
                    })),
                },
            }),
        );
    }
    return `${documents.join("\n---\n")}\n`;
}
