import { awsRegion } from "../model/aws-partition.ts";
import { cidrFaults } from "../model/cidr.ts";
import { type Fault, faultsIn, parse, shownValue } from "../model/faults.ts";
import { standaloneSoftware } from "../model/fluss-standalone.ts";
import { saslUsername } from "../model/names.ts";
import type { FlussStandaloneArgs } from "./fluss-standalone.ts";

/** Everything that is wrong with the arguments, as far as the program knows them when it starts. */
export function standaloneFaults(args: FlussStandaloneArgs): Fault[] {
    let plugins: { folder: string }[] | undefined;
    const faults = [
        ...faultsIn(() => {
            plugins = parse(standaloneSoftware, args.software, "software").plugins;
        }),
        ...placeFaults(args),
        ...cidrFaults(args.allowedCidrs ?? [], args.openToTheInternet ?? false, "allowedCidrs"),
    ];
    const size = args.volume?.sizeGiB;
    if (size !== undefined && !(Number.isInteger(size) && size >= 8)) {
        const reason = "is no size for system, software and data";
        faults.push({ path: "volume.sizeGiB", value: String(size), reason, fix: "Give 8 or more, in GiB" });
    }
    if (args.lake !== undefined && plugins && !plugins.some(({ folder }) => folder === "iceberg")) {
        const reason = "the distribution has no JARs for a lake of Iceberg, and the servers would not start";
        const fix = 'Give the JARs with folder: "iceberg", or no lake';
        faults.push({ path: "software.plugins", reason, fix });
    }
    return faults;
}

/** What stands as text in the program; outputs are told by AWS. */
const forms: [keyof FlussStandaloneArgs, RegExp | undefined, string][] = [
    ["region", awsRegion, "the name of an AWS region, like eu-central-1"],
    ["vpcId", /^vpc-[0-9a-f]+$/, "the id of a VPC, like vpc-0123456789abcdef0"],
    ["subnetId", /^subnet-[0-9a-f]+$/, "the id of a subnet, like subnet-0123456789abcdef0"],
    ["ami", /^ami-[0-9a-f]+$/, "the id of an image, like ami-0123456789abcdef0"],
    ["remote", undefined, "the bucket of the remote storage"],
];

function placeFaults(args: FlussStandaloneArgs): Fault[] {
    const faults = forms.flatMap(([path, form, what]): Fault[] => {
        const given = args[path];
        if (given === undefined) return [{ path, reason: "is required and missing", fix: `Give ${what}` }];
        if (!form || typeof given !== "string" || form.test(given)) return [];
        return [
            {
                path,
                ...shownValue("", given),
                reason: "is not written as AWS writes it",
                fix: `Give ${what}`,
            },
        ];
    });
    const { reach, advertisedHost: host, clientUsername } = args;
    if (reach !== undefined && !["public", "private"].includes(reach)) {
        const reason = "is none of the values that exist here";
        faults.push({ path: "reach", ...shownValue("", reach), reason, fix: "Use one of: public, private" });
    }
    if (typeof host === "string" && !/^[A-Za-z0-9.-]+$/.test(host)) {
        const reason = "is no name of a host";
        const fix = "Give a name or an IPv4 address, without port and scheme";
        faults.push({ path: "advertisedHost", ...shownValue("", host), reason, fix });
    }
    if (clientUsername !== undefined)
        faults.push(...faultsIn(() => parse(saslUsername, clientUsername, "clientUsername")));
    return faults;
}
