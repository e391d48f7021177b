/** Who runs each command of the docs, or why nobody does. */
export interface Ran {
    /** What the command looks like. */
    command: RegExp;
    /** Test that runs it, relative to the repository; of a script of package.json none is needed when CI runs that. */
    by?: string;
    /** Why it is not run. */
    not?: string;
}

/** One entry for each kind of command. */
export const ran: readonly Ran[] = [
    { command: /^npm start$/, by: "test/e2e/quickstart.test.ts" },
    { command: /^npm test$/, not: "it is what runs this test" },
    { command: /^npm run try:(preview|apply)$/, by: "test/e2e/quickstart.test.ts" },
    { command: /^npm run local:down$/, by: "test/e2e/quickstart.test.ts" },
    { command: /^npm run local:status$/, not: "no tier keeps a lakehouse running for it to look at" },
    { command: /^npm run bed$/, by: "test/kubernetes/try.test.ts" },
    { command: /^npm ci$/, not: "it comes before every test; local/bootstrap.js runs it where it is needed" },
    {
        command: /^npm install --save-dev @pulumi\/policy$/,
        not: "the package is a development dependency here",
    },
    { command: /^docker run .*install\.sh client/, not: "the vendor's image needs a login at its registry" },
    { command: /^cd \.local\/program$/, not: "it is the folder for the commands after it" },
    {
        command: /^pulumi stack output clientPassword .*\| *pulumi -C /,
        not: "it hands a password of a running local lakehouse on; no tier keeps one running for it",
    },
    {
        command: /^npm exec -- pulumi import --generate-code=false fluss:fluss:Table /,
        by: "test/e2e/quickstart.test.ts",
    },
    {
        command: /^npm exec -- pulumi (preview|up)$/,
        not: "npm exec only puts the plugin on the PATH; test/engine/plugin.test.ts runs the engine with it",
    },
    { command: /^pulumi stack init/, by: "test/engine/command-line.test.ts" },
    { command: /^pulumi config set/, by: "test/engine/command-line.test.ts" },
    { command: /^export \w+=/, not: "it sets a variable for the commands after it" },
    { command: /^pulumi (preview|up)( -s dev)?$/, by: "test/engine/command-line.test.ts" },
    { command: /^pulumi preview --policy-pack /, by: "test/policies/pack.test.ts" },
    {
        command: /^pulumi preview --json .*\| npx pulumi-fluss preview-comment/,
        by: "test/engine/preview-comment.test.ts",
    },
    {
        command: /^pulumi stack output readers .*\| jq /,
        not: "jq is not needed here; what the output holds is tested with the component",
    },
    { command: /^npx pulumi-fluss doctor/, by: "test/unit/cli/doctor.test.ts" },
    { command: /^npx pulumi-fluss jars/, by: "test/unit/cli/jars.test.ts" },
    { command: /^npx pulumi-fluss import-plan/, by: "test/unit/cli/import-plan.test.ts" },
    { command: /^npx pulumi-fluss tables pull/, by: "test/unit/cli/tables-pull.test.ts" },
    { command: /^npm install pulumi-fluss$/, by: "test/package/setup.ts" },
    { command: /^npx pulumi-fluss python-sdk/, by: "test/package/python.test.ts" },
    {
        command: /^npm run test:vvp$/,
        not: "it needs a real platform; without VV_API_HOST the same tests run on the simulated one",
    },
];
