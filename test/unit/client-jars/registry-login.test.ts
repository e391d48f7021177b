import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseRepository } from "../../../dynamic-providers/client-jars/image-reference.ts";
import { findLogin } from "../../../dynamic-providers/client-jars/registry-login.ts";
import { temporaryFolder } from "./jar-images.ts";

const host = "registry.example.com";
const auth = Buffer.from("desk:sesame:with-colon").toString("base64");

/** A home with the files of `docker login` and `helm registry login`. */
function homeWith({ docker, helm }: { docker?: object | string; helm?: object }) {
    const home = temporaryFolder();
    const write = (file: string, content: object | string | undefined) => {
        if (content === undefined) return;
        fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
        fs.writeFileSync(
            path.join(home, file),
            typeof content === "string" ? content : JSON.stringify(content),
        );
    };
    write(".docker/config.json", docker);
    write(".config/helm/registry/config.json", helm);
    return { HOME: home, PATH: `${home}:/usr/bin:/bin` };
}

describe("the login at a registry", () => {
    test("comes from Docker, from Helm, or from the variables, which go first", async () => {
        const desk = { username: "desk", password: "sesame:with-colon" };
        expect(await findLogin(host, homeWith({ docker: { auths: { [host]: { auth } } } }))).toMatchObject(
            desk,
        );
        expect(
            await findLogin(host, homeWith({ docker: { auths: { [`https://${host}`]: { auth } } } })),
        ).toMatchObject(desk);
        const both = homeWith({
            docker: { auths: { "other.example.com": { auth } } },
            helm: { auths: { [host]: { auth } } },
        });
        expect(await findLogin(host, both)).toMatchObject(desk);
        const own = {
            FLUSS_REGISTRY_HOST: host,
            FLUSS_REGISTRY_USERNAME: "ci",
            FLUSS_REGISTRY_PASSWORD: "p",
        };
        expect(await findLogin(host, { ...both, ...own })).toMatchObject({ username: "ci", password: "p" });
        expect(await findLogin("elsewhere.example.com", { ...both, ...own })).toBeUndefined();
    });

    test("is where it is by default when a variable for its place is empty", async () => {
        const empty = { DOCKER_CONFIG: "", HELM_REGISTRY_CONFIG: "", XDG_CONFIG_HOME: "" };
        for (const kept of ["docker", "helm"]) {
            const home = homeWith({ [kept]: { auths: { [host]: { auth } } } });
            expect(await findLogin(host, { ...home, ...empty })).toMatchObject({ username: "desk" });
        }
    });

    test("at Docker Hub is kept under another name", async () => {
        const home = homeWith({ docker: { auths: { "https://index.docker.io/v1/": { auth } } } });
        expect(await findLogin(parseRepository("apache/fluss").registry, home)).toMatchObject({
            username: "desk",
        });
    });

    test("is asked of a credential helper", async () => {
        const home = homeWith({ docker: { auths: { [host]: {} }, credsStore: "desk" } });
        const helper = path.join(home.HOME, "docker-credential-desk");
        const say = (script: string) => fs.writeFileSync(helper, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        say(`read -r asked; echo "{\\"Username\\":\\"$1\\",\\"Secret\\":\\"for $asked\\"}"`);
        expect(await findLogin(host, home)).toMatchObject({ username: "get", password: `for ${host}` });
        expect(await findLogin("elsewhere.example.com", home)).toBeUndefined();
        say("echo 'credentials not found: sesame' >&2; exit 1");
        await expect(findLogin(host, home)).rejects.toThrow(
            /kept by docker-credential-desk, which failed \(1\)/,
        );
        await expect(findLogin(host, home)).rejects.not.toThrow(/sesame/);
        say("echo sesame");
        await expect(findLogin(host, home)).rejects.toThrow(/gave no login for registry\.example\.com/);
        fs.rmSync(helper);
        await expect(findLogin(host, home)).rejects.toThrow(/is not on the PATH/);
    });

    test("that is not whole is told, without what is there of it", async () => {
        const home = homeWith({ docker: `{"auths": {"${host}": {"auth": "${auth}"` });
        await expect(findLogin(host, home)).rejects.toThrow(
            /config\.json, cannot be read. What to do: log in again/,
        );
        await expect(findLogin(host, home)).rejects.not.toThrow(auth);
        await expect(
            findLogin(host, { FLUSS_REGISTRY_HOST: host, FLUSS_REGISTRY_PASSWORD: "sesame" }),
        ).rejects.toThrow("FLUSS_REGISTRY_USERNAME is not set");
    });
});

describe("a repository of images", () => {
    test.each([
        [
            "registry.example.com/team/fluss",
            "https://registry.example.com",
            "registry.example.com",
            "team/fluss",
        ],
        [
            "registry.example.com:5000/fluss",
            "https://registry.example.com:5000",
            "registry.example.com:5000",
            "fluss",
        ],
        [
            "https://registry.example.com/fluss",
            "https://registry.example.com",
            "registry.example.com",
            "fluss",
        ],
        ["http://127.0.0.1:5000/fluss", "http://127.0.0.1:5000", "127.0.0.1:5000", "fluss"],
        ["localhost/fluss", "https://localhost", "localhost", "fluss"],
        ["apache/fluss", "https://registry-1.docker.io", "docker.io", "apache/fluss"],
        ["fluss", "https://registry-1.docker.io", "docker.io", "library/fluss"],
        ["docker.io/apache/fluss", "https://registry-1.docker.io", "docker.io", "apache/fluss"],
    ])("%s is read", (text, origin, registry, name) => {
        expect(parseRepository(text)).toEqual({ origin, registry, path: name });
    });

    test.each([
        "",
        "registry.example.com/fluss:1.0.0",
        "registry.example.com/fluss@sha256:00",
        "registry.example.com/../fluss",
        "registry.example.com/Fluss",
        "https://desk:sesame@registry.example.com/fluss",
        "desk:sesame@registry.example.com/fluss",
        "oci://registry.example.com/fluss",
    ])("'%s' is none", (text) => {
        expect(() => parseRepository(text)).toThrow(
            /is no repository of images.*without user, tag and digest/,
        );
        expect(() => parseRepository(text)).not.toThrow(/sesame/);
    });

    test("without TLS is one of this machine only", () => {
        expect(() => parseRepository("http://registry.example.com/fluss")).toThrow(
            /would be read without TLS/,
        );
    });
});
