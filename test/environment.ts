// Before each test file: what the shell says of a platform, a cloud or a stack of its user is not what a test is about.
import process from "node:process";

const ofTheUser =
    /^(VV_|AWS_|LAKEKEEPER_|PULUMI_(STACK|BACKEND_URL|ACCESS_TOKEN|CONFIG|PARALLEL)|KUBECONFIG$)/;

for (const name of Object.keys(process.env)) if (ofTheUser.test(name)) delete process.env[name];
