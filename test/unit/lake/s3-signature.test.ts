import { expect, it } from "vitest";
import { s3Signature } from "../../../dynamic-providers/lake/s3-signature.ts";

/** The examples of AWS' manual ("Authenticating Requests: Using the Authorization Header"). */
const example = {
    method: "GET",
    host: "examplebucket.s3.amazonaws.com",
    path: "/",
    region: "us-east-1",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    time: new Date("2013-05-24T00:00:00Z"),
} as const;

it.each([
    [{ lifecycle: "" }, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    [{ "max-keys": "2", prefix: "J" }, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
])("signs as AWS' own examples: %o", (query, signature) => {
    const headers = s3Signature({ ...example, query });
    expect(headers["authorization"]).toBe(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
            `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    );
});
