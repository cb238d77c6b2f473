#!/usr/bin/env python3
"""Checks the chart of deploy/helm and the manifests of deploy/kubernetes that it renders: Helm reports no faults, the
manifests are current, each object fits the schemas of the oldest and the newest supported Kubernetes, pods satisfy the
restricted Pod Security Standard, and references between objects resolve. Then runs the commands of their containers as
in a pod: as the same user, with a read-only root file system and without privileges, on a private PostgreSQL database
with a password. Kinds of objects that are not part of Kubernetes (ServiceMonitor) are not validated, because there is
no schema for them. Nothing runs in a cluster.

usage: manifests.py target/release/shruti
       manifests.py --write     (updates the manifests)
needs: requirements.txt; PostgreSQL; kubectl for kustomize; root and unshare for the commands
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml
from helm_python import chart as helm
from helm_python.errors import HelmError

from workspace import WORKSPACE, settings_of, version
from harness import Postgres, answers, text_of, wait_until
from sandbox import Sandbox

DEPLOY = WORKSPACE / "deploy"
CHART = DEPLOY / "helm/shruti"
KUBERNETES = DEPLOY / "kubernetes"
NEWEST = kubernetes_validate.latest_version()
# minimum version of Kubernetes, as in Chart.yaml
OLDEST = "1.30"
OF_OTHERS = {"ServiceMonitor"}
# values that enable all optional resources, and the folder of each optional resource
EVERYTHING = {"autoscaling": {"enabled": True}, "serviceMonitor": {"enabled": True}, "metricsFor": "10.244.0.0/16"}
FOLDERS = {"horizontalpodautoscaler.yaml": "autoscaling", "servicemonitor.yaml": "monitoring"}
OTHERWISE = {
    "image": {"tag": "1.2.3", "pullSecrets": [{"name": "registry"}]}, "replicas": 5, "packs": {"claim": "packs-te", "ids": ["te-padmavathi", "kn-maya"]},
    "env": {"SHRUTI_VOICES": "Ananya.te=te-padmavathi/Padmavathi", "SHRUTI_MAX_STREAMS": 200}, "nodeSelector": {"shruti/packs": "te"},
    "tolerations": [{"key": "gpu", "operator": "Exists"}], "migration": {"enabled": False}, "ingress": {"host": "te.speech.example"},
    "networkPolicy": {"database": [{"ipBlock": {"cidr": "192.0.2.7/32"}}], "egress": [{"ports": [{"port": 443}]}]},
}
REFUSED = {
    "a password in the address": {"database": {"url": "postgres://shruti:secret@db.example/shruti"}},
    "an unknown name": {"replica": 3},
    "an unknown setting of the server": {"env": {"DATABASE": "x"}},
    "an invalid pack ID": {"packs": {"ids": ["te&kn"]}},
    "a monitor without access": {"serviceMonitor": {"enabled": True}},
}


def render(values):
    """Returns the text that the chart renders from values, by file name."""
    rendered = helm.Chart.load(CHART).render(values=values, name="shruti", namespace="speech")
    files = {name.rsplit("/", 1)[1]: text.strip() + "\n" for name, text in rendered.items() if name.endswith(".yaml") and text.strip()}
    assert files, "the chart renders nothing"
    return files


def manifests():
    """Returns the text of the files in deploy/kubernetes that the chart renders."""
    plain = render({})
    everything = render(EVERYTHING)
    yield from ((KUBERNETES / "base" / name, text) for name, text in plain.items())
    yield from ((KUBERNETES / folder / name, everything[name]) for name, folder in FOLDERS.items())


def objects(files):
    return [parsed for text in files for parsed in yaml.safe_load_all(text) if parsed]


def fits_the_schemas(of, where):
    for parsed in of:
        if parsed["kind"] in OF_OTHERS:
            continue
        for release in (OLDEST, NEWEST):
            try:
                kubernetes_validate.validate(parsed, release, strict=True)
            except kubernetes_validate.ValidationError as error:
                sys.exit(f"{where}: {parsed['kind']} for Kubernetes {release}: {error}")


def kustomize(folder):
    """Returns the objects that `kubectl apply -k` would send, from a copy that contains a password."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(KUBERNETES, f"{copy}/kubernetes")
        pathlib.Path(copy, "kubernetes/example/password").write_text("secret\n", "utf-8")
        done = subprocess.run(["kubectl", "kustomize", f"{copy}/kubernetes/{folder}"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"kubectl kustomize {folder}: {done.stderr}")
        return objects([done.stdout])


def one(of, kind):
    found = [parsed for parsed in of if parsed["kind"] == kind]
    assert len(found) == 1, f"{len(found)} of {kind}"
    return found[0]


def pods(of):
    return [parsed["spec"]["template"] for parsed in of if parsed["kind"] in ("Deployment", "Job")]


def may_run_restricted(pod):
    """Checks the Pod Security Standard "restricted" and a read-only root file system."""
    spec = pod["spec"]
    context = spec["securityContext"]
    assert context["runAsNonRoot"] and context["runAsUser"] and context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
    for volume in spec["volumes"]:
        assert {"emptyDir", "secret", "persistentVolumeClaim"} & volume.keys(), volume
    for container in spec["containers"]:
        own = container["securityContext"]
        assert own["allowPrivilegeEscalation"] is False and own["readOnlyRootFilesystem"] is True and own["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["requests"] and "memory" in container["resources"]["limits"]
        assert not container["image"].endswith(":latest") and ":" in container["image"]


def are_of_one_piece(of, settings):
    """Checks the references between objects, and from them to the server."""
    server, service = one(of, "Deployment"), one(of, "Service")
    labels = server["spec"]["template"]["metadata"]["labels"]
    selectors = [server["spec"]["selector"]["matchLabels"], service["spec"]["selector"],
                 one(of, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], one(of, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"]]
    for parsed in of:
        if parsed["kind"] == "ServiceMonitor":
            assert parsed["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
            assert parsed["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]
        if parsed["kind"] == "Job":
            beside = parsed["spec"]["template"]["metadata"]["labels"]
            assert not service["spec"]["selector"].items() <= beside.items(), "the service sends requests to the migration"
        if parsed["kind"] == "HorizontalPodAutoscaler":
            assert parsed["spec"]["scaleTargetRef"]["name"] == server["metadata"]["name"] and "replicas" not in server["spec"]
            adapter = yaml.safe_load((DEPLOY / "monitoring/prometheus-adapter.yaml").read_text("utf-8"))
            made = {rule["name"]["as"] for rule in adapter["rules"]["custom"]}
            wanted = {metric["pods"]["metric"]["name"] for metric in parsed["spec"]["metrics"]}
            assert wanted == made, f"the adapter provides {made}, the autoscaler requires {wanted}"
    for selector in selectors:
        assert selector.items() <= labels.items(), selector
    backend = one(of, "Ingress")["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": service["metadata"]["name"], "port": {"name": service["spec"]["ports"][0]["name"]}}
    spec = server["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    assert service["spec"]["ports"][0]["targetPort"] == container["ports"][0]["name"]
    assert spec["terminationGracePeriodSeconds"] > container["lifecycle"]["preStop"]["sleep"]["seconds"] + 30 + 2
    for pod in pods(of):
        for container in pod["spec"]["containers"]:
            unknown = {variable["name"] for variable in container.get("env", [])} - settings
            assert not unknown, f"unknown settings of the server: {unknown}"
            volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes


def environment_of(container):
    return {variable["name"]: variable["value"] for variable in container["env"]}


def commands_run(binary, of):
    with tempfile.TemporaryDirectory(prefix="shruti-pod-", dir="/tmp") as folder, Postgres() as postgres:
        password = f"{folder}/password"
        pathlib.Path(password).write_text("p@ss word\n", "utf-8")
        postgres.create_owner("shruti", "p@ss word")
        database = f"postgres://shruti@127.0.0.1:{postgres.port}/shruti?passfile={password}"
        migration, server = (one(of, kind)["spec"]["template"]["spec"] for kind in ("Job", "Deployment"))
        user = server["securityContext"]["runAsUser"]
        # an emptyDir belongs to root and to the group `fsGroup`
        sandbox = Sandbox(folder, user, f"mode=2777,gid={server['securityContext']['fsGroup']}")
        (container,) = migration["containers"]
        sandbox.run([binary, *container["args"]], environment_of(container), database)
        (container,) = server["containers"]
        with sandbox.running([binary, *container["args"]], environment_of(container), database) as process:
            wait_until(lambda: answers(f"http://{sandbox.listen}/readyz"), process, lambda: text_of(sandbox.log))
            sandbox.is_confined(process)
            process.terminate()
            assert process.wait(60) == 0, text_of(sandbox.log)
        assert "sk_" not in text_of(sandbox.log), "a key is in the log"
        assert "p@ss" not in text_of(sandbox.log), "the password is in the log"


def main():
    if sys.argv[1] == "--write":
        for path, text in manifests():
            path.write_text(text, "utf-8")
        return
    binary = os.path.realpath(sys.argv[1])
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert chart["version"] == chart["appVersion"] == version(), f"the version of the chart is not {version()}"
    linted = helm.lint(CHART)
    # messages of severity 1 are informational; one of them says, for example, that the chart has no icon
    assert not linted["errors"] and all(message["severity"] < 2 for message in linted["messages"]), linted
    for what, values in REFUSED.items():
        try:
            render(values)
        except HelmError:
            continue
        sys.exit(f"the chart accepts {what}")
    for path, text in manifests():
        if not path.exists() or path.read_text("utf-8") != text:
            sys.exit(f"{path} differs from the output of the chart; update it with checks/deployment/manifests.py --write")
    settings = settings_of(binary)

    rendered = {"the defaults": objects(render({}).values()), "everything": objects(render(EVERYTHING).values()),
                "other values": objects(render(OTHERWISE | EVERYTHING).values())}
    if shutil.which("kubectl"):
        rendered |= {f"kubernetes/{folder}": kustomize(folder) for folder in ("base", "example")}
    else:
        print("kubectl is not installed: kustomize was skipped")
    ready = one(rendered["other values"], "Deployment")["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]["httpGet"]["path"]
    assert ready == "/readyz?pack=te-padmavathi&pack=kn-maya", ready
    for where, of in rendered.items():
        fits_the_schemas(of, where)
        for pod in pods(of):
            may_run_restricted(pod)
        are_of_one_piece(of, settings)
    if os.geteuid() == 0:
        commands_run(binary, rendered["the defaults"])
    else:
        print("not root: the commands did not run as in a pod")
    print(f"manifests: {', '.join(f'{where} ({len(of)} objects)' for where, of in rendered.items())} are valid for Kubernetes {OLDEST} and {NEWEST}; "
          "migration and server run as in a pod")


main()
