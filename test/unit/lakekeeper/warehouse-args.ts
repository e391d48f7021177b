import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import type { Fixture } from "./fixture.ts";

/** The warehouse that the tests make and change. */

export const secret = "secret-access-key-of-the-test";
export const storage = { type: "s3", bucket: "lake", keyPrefix: "fluss-lake-storage", region: "us-east-1" };

export function args(fixture: Fixture, change: Bag = {}): Bag {
    return {
        connection: fixture.connection,
        name: "fluss",
        storage,
        credential: { type: "s3-access-key", accessKeyId: "AKIAEXAMPLE", secretAccessKey: secret },
        deletionProtection: false,
        storageWaitSeconds: 0,
        ...change,
    };
}

export const resource = () => lead(warehouse);

export const path = (id: string) => `/management/v1/warehouse/${id}`;
