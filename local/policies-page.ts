import { type Rule, rules } from "../policies/index.ts";

/** The page about the policy pack, made from its rules. */
export function policiesPage(): string {
    const groups: [Rule["group"], string][] = [
        ["security", "Security"],
        ["reliability", "Reliability"],
        ["platform", "Platform: jobs, engines, manifests"],
        ["stack", "Stack: what belongs together"],
        ["cost", "Cost"],
        ["naming", "Naming"],
    ];
    const mandatory = rules.filter(({ level }) => level === "mandatory").length;
    return `${introduction(mandatory)}
${groups.map(([group, title]) => `## ${title}\n\n${table(rules.filter((rule) => rule.group === group))}`).join("\n\n")}

## Settings

${settings()}

## Remedies

A remedy changes the arguments of a resource before the engine takes them. Each is off until the configuration says otherwise, and none makes or removes a
resource.

${remedies()}

## How it is tested

Three plans keep every rule: the quickstart on services that exist, the quickstart that installs Fluss and Lakekeeper by Helm, and a lakehouse of plain resources
as people make it from the manuals. For each rule one of them is changed and then breaks that rule alone. Rules are given unknown, missing and strange values at any
depth, and none fails. The pack itself runs in previews and an update of the real engine, with and without a configuration. All of that: \`npm run test:policies\`. Not run: the pack under a
language host as a folder (\`PulumiPolicy.yaml\` is there for it).
`;
}

function introduction(mandatory: number): string {
    return `# Policy pack

What is known to go wrong with a lakehouse, told while it is still a plan: in CI, or before an \`up\`. It looks at every resource of the stack, of these
components or made by hand: buckets, rights and firewalls of \`@pulumi/aws\`; Helm releases of Fluss and Lakekeeper, Services, Ingresses, Secrets, pods and the two
operators' deployments of \`@pulumi/kubernetes\`; jobs, scripts, drafts, session clusters, catalogs, tables and warehouses of this library, whether the dynamic provider or the plugin runs them.

\`\`\`sh
npm install --save-dev @pulumi/policy
pulumi preview --policy-pack node_modules/pulumi-fluss/policy-pack/run
\`\`\`

The pack is a program that the engine starts, so it needs no language host of its own, and it starts beside every version of
TypeScript. The folder, \`--policy-pack node_modules/pulumi-fluss/policy-pack\`, is for the language host of Pulumi's own installation, which is not run here: the older
host that can be built answers that it is not supported, and TypeScript 7 beside the SDK stops Pulumi's runner. Name the file \`run\`. Of its ${rules.length} rules ${mandatory} are \`mandatory\` and stop a preview and an \`up\`;
the others are \`advisory\` and shown. Pulumi's \`--policy-pack-config\` names a file that changes level and settings of each rule, and turns remedies on:

\`\`\`json
{
    "session-cluster-idles": "disabled",
    "volume-size": { "enforcementLevel": "mandatory", "maximumGi": 200 },
    "session-cluster-size-remedy": "remediate"
}
\`\`\`

A rule or a setting in it that does not exist is an error that names the nearest one, and the preview goes no further; so is a value that would switch a rule off
without a word (a port that is none, a pattern that is no regular expression).

What a preview does not know yet breaks no rule; the \`up\` looks again, with the values known. A bucket whose name is not known yet is found by what depends on it.
Messages name the place of a secret and never the secret.

For rules of your own beside these, write a pack with \`lakehousePolicyPack\` of \`pulumi-fluss/policies\`:

\`\`\`ts
import { lakehousePolicyPack, type Rule, rules } from "pulumi-fluss/policies";

const ours: Rule = {
    id: "targets-are-named-after-us",
    title: "Deployment targets bear our name",
    why: "Other teams share the namespace.",
    fix: "Begin its name with desk-.",
    level: "advisory",
    group: "naming",
    check: (plan) =>
        plan
            .filter(({ type }) => type === "pulumi-nodejs:dynamic/vvp:DeploymentTarget")
            .filter(({ props }) => typeof props.name === "string" && !props.name.startsWith("desk-"))
            .map((resource) => ({ resource, message: "is not named after us" })),
};

lakehousePolicyPack([...rules, ours]);
\`\`\`
`;
}

function table(group: readonly Rule[]): string {
    const rows = group.map(
        ({ id, level, title, why, fix }) =>
            `| \`${id}\` | ${level} | ${cell(`${title}. ${why}`)} | ${cell(fix)} |`,
    );
    return ["| Rule | Level | What holds, and why | What to do |", "| --- | --- | --- | --- |", ...rows].join(
        "\n",
    );
}

function settings(): string {
    const rows = rules.flatMap(({ id, settings = {} }) =>
        Object.entries(settings).map(
            ([key, setting]) =>
                `| \`${id}\` | \`${key}\` | \`${cell(String(setting.default))}\` | ${cell(setting.what)} |`,
        ),
    );
    return ["| Rule | Setting | Default | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function remedies(): string {
    const rows = rules.flatMap(({ id, remedy }) =>
        remedy ? [`| \`${id}-remedy\` | ${cell(remedy.what)} |`] : [],
    );
    return ["| Policy | What it does |", "| --- | --- |", ...rows].join("\n");
}

/** Angle brackets would be taken for HTML, and a bar for the next cell. */
function cell(text: string): string {
    return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
