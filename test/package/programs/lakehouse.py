"""A lakehouse in Python: resources and components of pulumi_fluss, run by Pulumi's Automation API."""

import json
import os
import sys

import pulumi
import pulumi_fluss as fluss
from pulumi import automation

SETTINGS = json.loads(os.environ["SETTINGS"])
VVP = {"url": SETTINGS["vvp"]}
CLIENT = {
    "bootstrap_servers": "coordinator:9124",
    "sasl": {"username": "u", "password": {"secret_value": "fluss-password"}},
}


JAR = "lake-iceberg/fluss-flink-1.20-1.0.0-vv-3.jar"


def lakekeeper() -> dict:
    """The connection. An output belongs to the run of the program that makes it."""
    return {"url": SETTINGS["lakekeeper"], "token": pulumi.Output.secret(SETTINGS["token"])}


def tables(more: bool) -> list:
    columns = [{"name": "id", "type": "BIGINT"}, {"name": "amount", "type": "DOUBLE"}]
    if more:
        columns.append({"name": "note", "type": "STRING"})
    return [{"database": "finance", "name": "trades", "columns": columns}]


def lakehouse() -> None:
    """Resources, and the components on them."""
    project = fluss.lakekeeper.Project(
        "project", connection=lakekeeper(), project_id="desk", name="Desk", deletion_protection=False
    )
    fluss.lakekeeper.Warehouse(
        "archive",
        connection=lakekeeper(),
        project_id=project.project_id,
        name="archive",
        storage={"type": "s3", "bucket": "archive", "key_prefix": "a", "region": "us-east-1"},
        credential={"type": "s3-access-key", "access_key_id": "AKIAEXAMPLE", "secret_access_key": SETTINGS["key"]},
        deletion_protection=False,
    )
    catalog = fluss.components.LakekeeperCatalog(
        "catalog",
        existing=lakekeeper(),
        storage={
            "bucket": "lake",
            "region": "us-east-1",
            "key": {"access_key_id": "AKIAEXAMPLE", "secret_access_key": pulumi.Output.secret(SETTINGS["key"])},
        },
        lake_token={"secret_value": "fluss-iceberg-token"},
        deletion_protection=False,
    )
    fluss.vvp.DeploymentTarget("target", connection=VVP, name="target", kubernetes_namespace="jobs")
    secrets = [
        fluss.vvp.SecretValue(name, connection=VVP, name=name, value=SETTINGS["key"])
        for name in ("fluss-password", "fluss-iceberg-token")
    ]
    after = pulumi.ResourceOptions(depends_on=secrets)
    desk = fluss.components.FlussTables(
        "desk",
        after,
        runner={"kind": "vvp", "connection": VVP, "engine_version": SETTINGS["engine"]},
        catalog="fluss_quickstart",
        client=CLIENT,
        lake=catalog.lake,
        tables=tables("more" in SETTINGS),
        deletion_protection=False,
    )
    jar = fluss.vvp.Artifact("jar", connection=VVP, source=os.path.join(SETTINGS["jars"], JAR), file_name="client.jar")
    pulumi.export("path", desk.paths.apply(lambda paths: paths["finance.trades"]))
    pulumi.export("warehouse", catalog.warehouse)
    pulumi.export("token", catalog.token)
    pulumi.export("jar", jar.uri)


def whole() -> None:
    """The whole quickstart as one component; with `wrong`, with arguments that cannot be right."""
    wrong = "wrong" in SETTINGS
    if not wrong:
        target = fluss.vvp.DeploymentTarget("target", connection=VVP, name="target", kubernetes_namespace="jobs")
        tiering(target.name)
    fluss.components.StreamingLakehouse(
        "whole",
        buckets={"region": "eu-central-1"},
        lakekeeper={**lakekeeper(), "warehaus": "fluss"} if wrong else lakekeeper(),
        fluss={
            "existing": {
                "bootstrap_servers": "coordinator:9124",
                "client_username": "u",
                "client_password": pulumi.Output.secret(SETTINGS["key"]),
                "check": False,
            }
        },
        fluss_version=pulumi.Output.secret("1.0.0-vv-3") if wrong else "1.0.0-vv-3",
        vvp={"connection": VVP, "job_namespace": "jobs"},
        jars=SETTINGS["jars"],
        tables=tables(False),
    )


def tiering(target: pulumi.Output) -> None:
    """The job of another cluster, on a lake that is written down here."""
    fluss.components.TieringDeployment(
        "tiering",
        connection=VVP,
        deployment_target=target,
        jar_uri="s3i://vvp/artifacts/namespaces/default/tiering.jar",
        additional_dependencies=["s3i://vvp/artifacts/namespaces/default/client.jar"],
        lake={
            "catalog": {
                "type": "rest",
                "uri": "http://lakekeeper:8181/catalog",
                "warehouse": "fluss",
                "auth": {"type": "token", "token": {"secret_value": "fluss-iceberg-token"}},
            },
            "storage": {"type": "s3", "bucket": "acme-lake", "region": "eu-central-1", "prefix": "p"},
        },
        client={**CLIENT, "bootstrap_servers": "other:9124"},
    )


def main() -> None:
    stack = automation.create_or_select_stack(
        stack_name="dev", project_name="python-desk", program={"lakehouse": lakehouse, "whole": whole}[sys.argv[2]]
    )
    how = {"diff": True} if sys.argv[1] == "preview" else {}
    result = getattr(stack, sys.argv[1])(on_output=lambda line: print(line, file=sys.stderr), **how)
    outputs = {name: output.value for name, output in getattr(result, "outputs", {}).items()}
    summary = getattr(result, "change_summary", None) or result.summary.resource_changes
    print(json.dumps({"changes": {str(getattr(op, "value", op)): count for op, count in summary.items()}, "outputs": outputs}))


if __name__ == "__main__":
    main()
