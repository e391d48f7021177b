import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { jarCoordinates, jarImages, jarInstaller, vendorImages } from "../../../model/jar-sources.ts";
import { isNeededJar, type JarSetup, selectJars } from "../../../model/jars.ts";

const vendor: JarSetup = { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" };
const open: JarSetup = { release: "0.9.1-incubating", catalog: "rest", storage: "s3" };
const words = (setup: JarSetup) =>
    jarImages(setup).flatMap(({ tag, installs }) => installs.map(({ args }) => `${tag}: ${args.join(" ")}`));

describe("the images of a setup", () => {
    it("are installed from as the quickstart does", () => {
        // The page shows the quickstart's own commands.
        const page = fs.readFileSync("docs/client-jars.md", "utf8").replaceAll(/\\\n\s*/g, "");
        const shown = [...page.matchAll(/^docker run --rm -v "\$PWD\/jars":\/output (.*)$/gm)].map(
            ([, words]) => words,
        );
        const ours = jarImages(vendor).flatMap(({ tag, installs }) =>
            installs.map(
                ({ folder, args }) =>
                    `${vendorImages}:${tag} ${jarInstaller} ${args.join(" ")} --output-dir /output/${folder}`,
            ),
        );
        expect(ours).toEqual(shown);
        expect(ours).toHaveLength(3);
    });

    it("are one where the S3 file system of the release itself is used", () => {
        expect(words({ ...vendor, storage: "adls", catalog: "jdbc" })).toEqual([
            "1.0.0-vv-3: client lake-iceberg --fs abs --catalog jdbc-postgres",
            "1.0.0-vv-3: client lake-tiering-service",
        ]);
        expect(words({ ...vendor, release: "1.0.0-vv-4", catalog: "hadoop" })).toEqual([
            "1.0.0-vv-4: client lake-iceberg --fs s3",
            "1.0.0-vv-4: client lake-tiering-service",
        ]);
        // Running Lakehouse Jobs, the example for the Flink operator.
        expect(words({ ...vendor, release: "0.9.1-vv-2" })).toEqual([
            "0.9.1-vv-2: client lake-iceberg-s3",
            "0.9.1-vv-2: client fs-s3",
            "0.9.1-vv-2: client lake-tiering-service",
        ]);
    });

    it("bring what is needed: of the second one only the file system and the connector beside it", () => {
        const [own, fileSystem] = jarImages(vendor);
        const brought = (name: string) => [own?.brings(name), fileSystem?.brings(name)];
        expect(brought("opt/x/fluss-fs-s3-0.9.1-vv-1.jar")).toEqual([true, true]);
        expect(brought("opt/x/fluss-flink-1.20-0.9.1-vv-1.jar")).toEqual([true, true]);
        expect(brought("opt/x/iceberg-flink-runtime-1.20-1.9.0.jar")).toEqual([true, false]);
        expect(brought("opt/x/fluss-flink-tiering-0.9.1-vv-1.jar")).toEqual([true, false]);
        expect(brought("opt/x/fluss-server-1.0.0-vv-3.jar")).toEqual([false, false]);
        expect(isNeededJar("fluss-fs-s3-1.0.0-vv-3-sources.jar", vendor)).toBe(false);
    });
});

describe("the coordinates of an open release", () => {
    it.each<JarSetup["catalog"]>(["rest", "jdbc", "hadoop"])(
        "are the set that jobs need, with catalog %s",
        (catalog) => {
            for (const storage of ["s3", "s3Compatible", "adls"] as const) {
                const files = jarCoordinates({ ...open, catalog, storage }).map(
                    (one) => `${one.split(":").slice(1).join("-")}.jar`,
                );
                const { tieringJar, clientJars, leftOut } = selectJars(files, { ...open, catalog, storage });
                expect([tieringJar, ...clientJars].sort()).toEqual([...files].sort());
                expect(leftOut).toEqual([]);
            }
        },
    );

    it("are those that the local lakehouse runs on", () => {
        const pom = fs.readFileSync("local/toolchain/maven/pom.xml", "utf8");
        const version = (name: string) => new RegExp(`<${name}>(.*)</${name}>`).exec(pom)?.[1];
        const found = jarCoordinates(open).join("\n");
        expect(found).toContain(`org.apache.fluss:fluss-flink-1.20:${version("fluss.version")}`);
        expect(found).toContain(`org.apache.iceberg:iceberg-aws:${version("iceberg.version")}`);
        expect(found).toContain(`org.apache.hadoop:hadoop-hdfs-client:${version("hadoop.fluss.version")}`);
        expect(found).toContain(`dev.failsafe:failsafe:${version("failsafe.version")}`);
    });
});
