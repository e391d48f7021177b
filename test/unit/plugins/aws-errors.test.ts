import { expect, it } from "vitest";
import { AwsCallError, isGone } from "../../../local/plugins/aws/call-error.ts";

const call = { operation: "CreateAccessKey", target: "lake-user", endpoint: "http://127.0.0.1:5000" };
const answered = (name: string, httpStatusCode: number, message = name) =>
    Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });

it.each([
    ["a third key", answered("LimitExceededException", 409, "Cannot exceed quota"), /two.*delete-access-key/],
    ["a user that is there", answered("EntityAlreadyExistsException", 409), /409.*pulumi import/],
    ["a gateway's answer", answered("UnknownError", 502), /HTTP 502, in no form of AWS.*its log/],
    ["an answer to HEAD", answered("Unknown", 403), /HTTP 403, in no form of AWS.*a policy that allows/],
    [
        "none in time",
        Object.assign(new Error("none within 30 s"), { name: "TimeoutError" }),
        /no answer: TimeoutError: none within 30 s\. Does the emulator hang\?/,
    ],
])("%s is told with what to do", (_title, cause, said) => {
    const { message } = new AwsCallError(call, cause);
    expect(message).toMatch(/^CreateAccessKey 'lake-user' at http:\/\/127\.0\.0\.1:5000 /);
    expect(message).toMatch(said);
});

it.each([
    ["NoSuchEntityException", 404, true],
    ["NoSuchTagSet", 404, true],
    ["NotFound", 404, true],
    ["ServerSideEncryptionConfigurationNotFoundError", 404, true],
    // A gateway that knows no such path.
    ["UnknownError", 404, false],
    ["AccessDenied", 403, false],
])("%s with %i: gone is %s", (name, status, gone) => {
    expect(isGone(new AwsCallError(call, answered(name, status)))).toBe(gone);
});
