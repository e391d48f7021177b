"""A team's desk on a running lakehouse: a warehouse and a table, run by Pulumi's Automation API."""

import json
import os
import sys

import pulumi
import pulumi_fluss as fluss
from pulumi import automation

SETTINGS = json.loads(os.environ["SETTINGS"])


def columns() -> list:
    first = [{"name": "id", "type": "BIGINT", "nullable": False}, {"name": "amount", "type": "DECIMAL(18, 2)"}]
    return first + ([{"name": "note", "type": "STRING"}] if SETTINGS.get("more") else [])


def desk() -> None:
    lakekeeper = {**SETTINGS["lakekeeper"], "token": pulumi.Output.secret(SETTINGS["lakekeeper"]["token"])}
    key = SETTINGS["key"]
    project = fluss.lakekeeper.Project(
        "project", connection=lakekeeper, project_id=SETTINGS["name"], name=SETTINGS["name"], deletion_protection=False
    )
    warehouse = fluss.lakekeeper.Warehouse(
        "warehouse",
        connection=lakekeeper,
        project_id=project.project_id,
        name=SETTINGS["name"],
        storage={
            **SETTINGS["storage"],
            "type": "s3",
            "key_prefix": SETTINGS["name"],
            "flavor": "s3-compat",
            "path_style_access": True,
        },
        credential={
            "type": "s3-access-key",
            "access_key_id": key["accessKeyId"],
            "secret_access_key": pulumi.Output.secret(key["secretAccessKey"]),
        },
        deletion_protection=False,
    )
    client = SETTINGS["client"]
    tables = fluss.components.FlussTables(
        "tables",
        runner={"kind": "gateway", "url": SETTINGS["gateway"]},
        catalog=SETTINGS["name"],
        client={
            "bootstrap_servers": client["bootstrapServers"],
            "sasl": {"username": client["username"], "password": {"value": pulumi.Output.secret(client["password"])}},
        },
        version="0.9",
        tables=[{"database": SETTINGS["name"], "name": "readings", "columns": columns(), "primary_key": ["id"]}],
        deletion_protection=False,
    )
    pulumi.export("warehouse", warehouse.id)
    pulumi.export("path", tables.paths.apply(lambda paths: paths[f"{SETTINGS['name']}.readings"]))


def main() -> None:
    stack = automation.create_or_select_stack(stack_name="dev", project_name="desk", program=desk)
    result = getattr(stack, sys.argv[1])(on_output=lambda line: print(line, file=sys.stderr))
    outputs = {name: output.value for name, output in getattr(result, "outputs", {}).items()}
    summary = getattr(result, "change_summary", None) or result.summary.resource_changes
    print(json.dumps({"changes": {str(getattr(op, "value", op)): count for op, count in summary.items()}, "outputs": outputs}))


if __name__ == "__main__":
    main()
