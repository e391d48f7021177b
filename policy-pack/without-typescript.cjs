// The pack is JavaScript, but Pulumi's runner loads the TypeScript of the project all the same, and fails with TypeScript 7,
// which has no interface for it (SDK 3.270 observed). Without one it takes the one that it brings along.
const modules = require("node:module");

const resolve = modules._resolveFilename;
modules._resolveFilename = function (request, ...more) {
    if (request !== "typescript") return resolve.call(this, request, ...more);
    throw Object.assign(new Error("the policy pack needs no TypeScript"), { code: "MODULE_NOT_FOUND" });
};
