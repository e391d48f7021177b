import { expect, test } from "vitest";
import { normalTable, type TableSpec, validateTable } from "../../../model/table.ts";
import {
    dailyPartitioned,
    lakeLogTable,
    lakePrimaryKeyTable,
    logTable,
    primaryKeyTable,
} from "../../../model/table-presets.ts";
import { accounts, trades } from "./tables.ts";

const place = { database: "finance", name: "t" };
const columns = { id: "INT", region: "STRING", dt: "STRING" };
const isFine = (spec: TableSpec) => {
    for (const server of ["0.9", "1.0"] as const) {
        expect(validateTable(spec, { server, lake: "iceberg" })).toEqual([]);
    }
};

test("the quickstart's tables are presets", () => {
    const account = {
        account_id: "INT",
        client_name: "STRING",
        risk_rating: "STRING",
        currency: "STRING",
        balance: "DECIMAL(15, 2)",
    };
    expect(
        primaryKeyTable({
            database: "finance",
            name: "accounts",
            columns: account,
            primaryKey: ["account_id"],
            bucketCount: 3,
        }),
    ).toEqual(accounts);
    expect(
        lakeLogTable({
            database: "finance",
            name: "trades",
            columns: {
                trade_id: "BIGINT",
                account_id: { type: "INT", nullable: false },
                notional: "DECIMAL(15, 2)",
                trade_date: "DATE",
                side: "STRING",
                symbol: "STRING",
            },
            bucketCount: 3,
            freshness: "30s",
        }),
    ).toEqual(trades);
});

test("what is said comes on top", () => {
    const options = { "table.datalake.enabled": "false" };
    expect(lakeLogTable({ ...place, columns, options, comment: "x" })).toMatchObject({
        options,
        comment: "x",
    });
    expect(logTable({ ...place, columns }).options).toEqual({});
});

test("a primary key of two columns is fit for Iceberg", () => {
    const spec = lakePrimaryKeyTable({ ...place, columns, primaryKey: ["id", "region"] });
    expect(spec.bucketKey).toEqual(["id"]);
    isFine(spec);
    const other = lakePrimaryKeyTable({
        ...place,
        columns,
        primaryKey: ["id", "region"],
        bucketKey: ["region"],
    });
    expect(other.bucketKey).toEqual(["region"]);
    expect(lakePrimaryKeyTable({ ...place, columns, primaryKey: ["id"] }).bucketKey).toBeUndefined();
});

test("a partition a day, for each kind of table", () => {
    const log = dailyPartitioned(logTable({ ...place, columns }), {
        column: "dt",
        retention: 30,
        timeZone: "UTC",
    });
    expect(log).toMatchObject({
        partitionKeys: ["dt"],
        options: {
            "table.auto-partition.enabled": "true",
            "table.auto-partition.num-retention": "30",
            "table.auto-partition.time-zone": "UTC",
        },
    });
    isFine(log);
    const keyed = dailyPartitioned(lakePrimaryKeyTable({ ...place, columns, primaryKey: ["id"] }), {
        column: "dt",
        retention: -1,
    });
    expect(keyed.primaryKey).toEqual(["id", "dt"]);
    expect(normalTable(keyed).options["table.datalake.enabled"]).toBe("true");
    isFine(keyed);
});
