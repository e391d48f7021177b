/** Imports point down only: stacks and policies -> components -> dynamic-providers -> model. */
const layer = (name, from, forbidden) => ({
    name,
    severity: "error",
    from: { path: from },
    to: { path: forbidden },
});

module.exports = {
    forbidden: [
        layer(
            "model-is-pure",
            "^model/",
            "^(dynamic-providers|components|cli|host|stacks|policies|local|test)/",
        ),
        layer(
            "providers-know-the-model",
            "^dynamic-providers/",
            "^(components|cli|host|stacks|policies|local|test)/",
        ),
        layer("components-know-providers", "^components/", "^(cli|host|stacks|policies|local|test)/"),
        layer("cli-knows-the-host", "^cli/", "^(components|stacks|policies|local|test)/"),
        layer("host-knows-components", "^host/", "^(cli|stacks|policies|local|test)/"),
        layer("stacks-know-components", "^stacks/", "^(cli|host|policies|local|test)/"),
        layer("policies-know-the-model", "^policies/", "^(cli|host|stacks|local|test)/"),
        {
            name: "model-does-no-input-or-output",
            severity: "error",
            from: { path: "^model/" },
            to: { dependencyTypes: ["core"], path: "^(node:)?(fs|net|http|https|child_process|os)$" },
        },
        {
            name: "model-knows-no-pulumi",
            severity: "error",
            from: { path: "^model/" },
            to: { path: "@pulumi/" },
        },
        {
            name: "no-cycles",
            severity: "error",
            from: {},
            to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
        },
    ],
    options: {
        doNotFollow: { path: "node_modules" },
        tsConfig: { fileName: "tsconfig.json" },
        tsPreCompilationDeps: true,
        exclude: { path: "^(dist|\\.local)/" },
    },
};
