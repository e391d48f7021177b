import * as z from "zod";
import { portForward } from "../kubernetes/cluster.ts";
import { forwardTo } from "../kubernetes/port-forward.ts";
import type { ResourceDefinition } from "../resource.ts";
import { type Finding, probe } from "./probe.ts";

const inputs = z.strictObject({
    /** `host:port`, several with commas between. */
    bootstrapServers: z.string().refine((text) => text.split(",").every((one) => addressForm.test(one)), {
        error: "must be host:port, or several of them with commas between",
    }),
    username: z.string().min(1),
    password: z.string().min(1),
    /** The way to a server whose address is known inside of a Kubernetes cluster only: through the API server. */
    portForward: portForward.optional(),
    /** For each step of a check, in seconds. */
    timeoutSeconds: z.number().positive().max(120).default(10),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** `coordinator` or `tablet server`; absent while no address can be reached from here. */
    server?: string;
    /** False while no address can be reached from here, and so nothing is known. */
    checked: boolean;
}

/**
 * A Fluss cluster that exists: makes sure that Fluss answers at its address and takes the login. An address that
 * cannot be reached from here, as inside of another network, is let through with a warning.
 */
export const flussEndpoint: ResourceDefinition<Inputs, Outputs> = {
    kind: "Fluss cluster",
    inputs,
    fields: {
        bootstrapServers: "update",
        username: "update",
        password: "update",
        portForward: "ignore",
        timeoutSeconds: "ignore",
    },
    secretInputs: ["password", "portForward"],

    async review({ old, new: wanted, known }) {
        if (!known("bootstrapServers", "username", "password", "portForward", "timeoutSeconds")) return {};
        const { bootstrapServers, username, password } = wanted;
        const same =
            old?.bootstrapServers === bootstrapServers &&
            old.username === username &&
            old.password === password;
        if (same) return {};
        const finding = await findingOf(wanted);
        if (finding.kind === "wrong") return { faults: [finding.text] };
        return finding.kind === "unreachable" ? { warnings: [unchecked(finding.text)] } : {};
    },

    async create(wanted) {
        return { id: wanted.bootstrapServers, outputs: await checked(wanted) };
    },

    async read(_id, state) {
        const finding = await findingOf(state);
        if (finding.kind !== "fluss") console.warn(`warning: Fluss cluster: ${finding.text}`);
        return {
            outputs:
                finding.kind === "fluss"
                    ? outputsOf(finding)
                    : { server: state.server, checked: state.checked },
        };
    },

    update: (_id, _state, wanted) => checked(wanted),

    async delete() {
        // It is somebody else's.
    },
};

const addressForm = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:]+\]):\d{1,5}$/;

async function checked(wanted: Inputs): Promise<Outputs> {
    const finding = await findingOf(wanted);
    if (finding.kind === "wrong") throw new Error(`Fluss: ${finding.text}`);
    if (finding.kind === "unreachable") console.warn(`warning: Fluss cluster: ${unchecked(finding.text)}`);
    return outputsOf(finding);
}

function outputsOf(finding: Finding): Outputs {
    return finding.kind === "fluss" ? { server: finding.server, checked: true } : { checked: false };
}

function unchecked(text: string): string {
    return `${text}, so it is not checked. Give existing.portForward when it runs on Kubernetes`;
}

/** Any address that answers as it should will do, as for a client; otherwise what is wrong with one outweighs silence. */
export async function findingOf({ bootstrapServers, portForward, ...login }: Inputs): Promise<Finding> {
    if (portForward) {
        const { access, ...target } = portForward;
        const { port, takeFault } = await forwardTo(access, target);
        const finding = await probe({ ...login, host: "127.0.0.1", port, address: bootstrapServers });
        const fault = finding.kind === "fluss" ? undefined : takeFault();
        return fault
            ? { kind: "wrong", text: `${bootstrapServers} could not be asked: ${fault.message}` }
            : finding;
    }
    const findings: Finding[] = [];
    for (const address of bootstrapServers.split(",")) {
        const at = address.lastIndexOf(":");
        const host = address.slice(0, at).replaceAll(/^\[|\]$/g, "");
        const finding = await probe({ ...login, host, port: Number(address.slice(at + 1)), address });
        if (finding.kind === "fluss") return finding;
        findings.push(finding);
    }
    return findings.find(({ kind }) => kind === "wrong") ?? findings[0]!;
}
