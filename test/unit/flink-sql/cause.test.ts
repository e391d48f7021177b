import { expect, test } from "vitest";
import { innermostCause } from "../../../dynamic-providers/flink-sql/cause.ts";
import { trace } from "./stub-gateway.ts";

test.each([
    [
        trace(
            "org.apache.flink.table.catalog.exceptions.DatabaseNotExistException: Database nodb does not exist in Catalog c.",
        ),
        { type: "DatabaseNotExistException", message: "Database nodb does not exist in Catalog c." },
    ],
    // Fluss repeats its own exception as the message of another one.
    [
        trace(
            "org.apache.fluss.exception.UnknownServerException: org.apache.fluss.exception.InvalidBucketsException: Number of buckets must be larger than 0.",
        ),
        { type: "InvalidBucketsException", message: "Number of buckets must be larger than 0." },
    ],
    [
        trace("java.lang.UnsupportedOperationException"),
        { type: "UnsupportedOperationException", message: "" },
    ],
    [trace("org.a.B$Inner: two\nlines"), { type: "Inner", message: "two\nlines" }],
    [
        "<Exception on server side:\norg.apache.flink.table.api.ValidationException: no cause\n\tat a.b.C(D.java:1)\n\nEnd of exception on server side>",
        { type: "ValidationException", message: "no cause" },
    ],
    ["org.apache.flink.X: short", { type: "X", message: "short" }],
    [
        trace(
            'org.a.ParseException: Encountered "x" at line 1, column 14.\nWas expecting one of:\n    <IDENTIFIER> ...\n    "IF" ...',
        ),
        { type: "ParseException", message: 'Encountered "x" at line 1, column 14.' },
    ],
    // Fluss cuts a long text, the last line of a stack with it.
    [
        trace(
            "org.a.KeeperException$ConnectionLossException: ConnectionLoss for /t\n\tat org.a.RetryLoop.call(R.java:1)\n\tat org.a.curator.Retr",
        ),
        { type: "ConnectionLossException", message: "ConnectionLoss for /t" },
    ],
    ["no exception at all", { type: undefined, message: "no exception at all" }],
])("%#", (text, cause) => expect(innermostCause(text)).toEqual(cause));
