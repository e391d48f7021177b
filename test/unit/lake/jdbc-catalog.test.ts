import { spawnSync } from "node:child_process";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { probeDatabase } from "../../../dynamic-providers/lake/jdbc-catalog.ts";
import { makeCertificates } from "../../faults/tls-proxy.ts";

/** What PostgreSQL itself answers is asked of a real one: `test/lakes/endpoint.test.ts`. These are a few lines in its place. */
const password = "s3same";
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
let server: net.Server | undefined;
afterEach(() => server?.close());

const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
};
const ready = Buffer.concat([message("R", int32(0)), message("Z", Buffer.from("I"))]);

type Answer = (socket: net.Socket, heard: Buffer) => void;
const withoutTls: Answer = (socket) => void socket.write("N");

/** Answers the wish for TLS by the first function, and each thing that comes on a connection without it by the next of the others. */
async function serve(wish: Answer, ...answers: Answer[]): Promise<string> {
    const listening = net.createServer((socket) => {
        const left = [...answers];
        socket
            .on("error", () => undefined)
            .on("data", (heard) => {
                const isWish = heard.length === 8 && heard.readInt32BE(4) === 80_877_103;
                (isWish ? wish : left.shift())?.(socket, heard);
            });
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    return `jdbc:postgresql://127.0.0.1:${(listening.address() as AddressInfo).port}/lake`;
}

const ask = (uri: string, seconds = 5) =>
    probeDatabase(
        { type: "jdbc", name: "lake", uri, user: "iceberg", password: { value: password } },
        seconds,
    );

describe("the database of a JDBC catalog", () => {
    it("may ask for the MD5 of the password", async () => {
        let proof = "";
        const uri = await serve(
            withoutTls,
            (socket) => void socket.write(message("R", int32(5), Buffer.from("salt"))),
            (socket, heard) => {
                proof = heard.toString("latin1", 5).replace("\0", "");
                socket.write(ready);
            },
        );
        expect(await ask(uri)).toEqual({ kind: "good" });
        // md5(md5("s3same" + "iceberg") + "salt"), by md5sum.
        expect(proof).toBe("md56a9ae0224164a93c1f6c1749addd5c3b");
    });

    it.each([
        ["jdbc:postgresql://db1:5432,db2:5432/lake", /several hosts \(db1:5432,db2:5432\)/],
        ["jdbc:postgresql://db1,db2/lake", /several hosts \(db1,db2\)/],
        ["jdbc:postgresql://db/la%ke", /la%ke is not read as host, port and database/],
        ["jdbc:postgresql://db:99999/lake", /99999\/lake is not read as host, port and database/],
    ])("is not asked where one login tells nothing: %s", async (uri, reason) => {
        expect(await ask(uri)).toEqual({ kind: "unchecked", text: expect.stringMatching(reason) });
    });

    it("is not told the password in clear", async () => {
        const heard: string[] = [];
        const uri = await serve(
            withoutTls,
            (socket, text) => {
                heard.push(text.toString("latin1"));
                socket.write(message("R", int32(3)));
            },
            (_, text) => void heard.push(text.toString("latin1")),
        );
        expect(await ask(uri)).toMatchObject({
            kind: "unchecked",
            text: expect.stringContaining("wants the password in clear, which is not sent"),
        });
        expect(heard.join()).not.toContain(password);
    });

    it.each<[string, [Answer, ...Answer[]], RegExp]>([
        ["a web server", [(socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")], /no PostgreSQL/],
        ["a server that ends", [withoutTls, (socket) => void socket.end()], /terminated unexpectedly/],
    ])("is not taken for one: %s", async (_, answers, reason) => {
        expect(await ask(await serve(...answers))).toMatchObject({
            kind: "wrong",
            text: expect.stringMatching(reason),
        });
    });

    it.each<[string, [Answer, ...Answer[]]]>([
        ["nothing", [() => undefined]],
        ["nothing more", [withoutTls, () => undefined]],
        ["nothing that ends", [withoutTls, (socket) => void socket.write(Buffer.alloc(50, 0xff))]],
    ])("that says %s is given up at the deadline", async (_, answers) => {
        expect(await ask(await serve(...answers), 0.2)).toMatchObject({
            kind: "unreachable",
            text: expect.stringContaining("no answer within 0.2 s"),
        });
    });

    it.skipIf(!hasOpenssl)("is asked by TLS where it has it, whatever its certificate", async () => {
        const { key, cert } = makeCertificates().unknown;
        let encrypted = false;
        const uri = await serve((socket) => {
            socket.removeAllListeners("data");
            const secured = new tls.TLSSocket(socket, { isServer: true, key, cert });
            secured
                .on("error", () => undefined)
                .once("data", () => {
                    encrypted = true;
                    secured.write(ready);
                });
            socket.write("S");
        });
        expect(await ask(uri)).toEqual({ kind: "good" });
        expect(encrypted).toBe(true);
    });
});
