import { describe, expect, it } from "vitest";
import { Scram } from "../../../dynamic-providers/lake/scram.ts";

describe("SCRAM-SHA-256", () => {
    /** RFC 7677, section 3. */
    const nonce = "rOprNGfwEbeRWgbNEkqO";
    const challenge = `r=${nonce}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`;

    it("is that of the RFC's example", () => {
        const scram = new Scram("pencil", nonce);
        expect(scram.first("user")).toBe(`n,,n=user,r=${nonce}`);
        expect(scram.answer(challenge, "user")).toBe(
            `c=biws,r=${nonce}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`,
        );
        expect(scram.proves("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")).toBe(true);
        expect(scram.proves("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")).toBe(false);
    });

    it("refuses a challenge for somebody else, and one that would cost minutes", () => {
        for (const wrong of [
            challenge.replace("r=r", "r=x"),
            challenge.replace("4096", "999999999"),
            "nonsense",
        ]) {
            expect(() => new Scram("pencil", nonce).answer(wrong)).toThrow("not one of SCRAM-SHA-256");
        }
    });
});
