"""Dockerfile, compose file and Kubernetes manifests: each says the same as the others and as the package."""

import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import yaml

from pace import BINARY
from packaged_service import settings_of, variables_of

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"
KUBERNETES, COMPOSE, PACKAGE = DEPLOY / "kubernetes", DEPLOY / "compose", DEPLOY / "package"
YAML_FILES = [path for folder in (KUBERNETES, COMPOSE, PACKAGE) for path in sorted(folder.glob("*.yaml"))]

VARIABLE = re.compile(r"\$\{(\w+)\}")
SOME_VALUE = "x1-and-fifteen-more"  # long enough for a token
GOODBYE_SECONDS = 5  # what a process may take between the end of its drain and its own


class UniqueKeys(yaml.SafeLoader):
    """A key that is given twice is a mistake, and PyYAML takes the last without a word."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"{node.start_mark}: a key is given twice"
        return super().construct_mapping(node, deep)


def read(path):
    return yaml.load(path.read_text(encoding="utf-8"), UniqueKeys)  # a SafeLoader


def seconds_of(text):
    number, unit = re.fullmatch(r"(\d+)(s|m)", text).groups()
    return int(number) * {"s": 1, "m": 60}[unit]


def port_of(config):
    return int(config["listen"].rpartition(":")[2])


def version():
    said = subprocess.run([BINARY, "version"], capture_output=True, text=True, check=True).stdout
    return said.split()[1]


class DeploymentTest(unittest.TestCase):
    def assert_config_is_right(self, file, variables):
        """With these variables and no others; keys that are empty may be warned of."""
        done = subprocess.run([BINARY, "check", file], capture_output=True, text=True, check=False, env=variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class YamlTest(unittest.TestCase):
    def test_yamllint_has_nothing_to_say(self):
        if not shutil.which("yamllint"):
            print("SKIP: there is no yamllint")
            self.skipTest("there is no yamllint")
        rules = {"extends": "default", "rules": {"line-length": {"max": 120}, "document-start": "disable",
                                                 "braces": {"max-spaces-inside": 1}}}
        done = subprocess.run(["yamllint", "--strict", "-d", json.dumps(rules), *YAML_FILES], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_no_key_is_given_twice(self):
        for path in YAML_FILES:
            with self.subTest(path.name):
                read(path)


class DockerfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
        lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
        cls.steps = [tuple(line.split(" ", 1)) for line in lines if line]

    def arguments(self, step):
        return [rest for name, rest in self.steps if name == step]

    def test_every_step_is_one_that_docker_knows(self):
        known = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
        self.assertLessEqual({name for name, _ in self.steps}, known)

    def test_both_stages_are_the_same_debian(self):
        images = dict(said.split("=", 1) for said in self.arguments("ARG"))
        self.assertEqual(self.arguments("FROM"), ["${BUILD_IMAGE} AS build", "${BASE_IMAGE}"])
        self.assertEqual(images["BASE_IMAGE"], images["BUILD_IMAGE"] + "-slim")

    def test_the_images_are_of_one_release(self):
        """By its digest, or by the tag of a point release: not by one that changes every few weeks."""
        composed = [service["image"] for service in read(COMPOSE / "compose.yaml")["services"].values()]
        for image in [said.split("=", 1)[1] for said in self.arguments("ARG")] + composed:
            self.assertRegex(image, r"@sha256:[0-9a-f]{64}$|:\d+\.\d+(\.\d+)?(-slim)?$")

    def test_it_installs_what_dev_package_makes(self):
        self.assertIn("./dev package", self.arguments("RUN"))
        copied = next(rest for rest in self.arguments("COPY") if rest.startswith("--from=build"))
        workdir = self.arguments("WORKDIR")[0]
        self.assertEqual(copied, f"--from=build {workdir}/build/package/runnel_*.deb /tmp/")

    def test_it_runs_as_the_packages_user_and_not_as_root(self):
        made = re.search(r"adduser .*--uid (\d+) .*\brunnel$", self.arguments("RUN")[1].split(" && ")[2])
        number = int(made[1])
        self.assertTrue(100 <= number < 1000, "a system user: the package's adduser takes it as its own")
        self.assertEqual(self.arguments("USER"), [f"{number}:{number}"])

    def test_it_starts_what_the_unit_starts(self):
        entry, command = (json.loads(self.arguments(name)[0]) for name in ("ENTRYPOINT", "CMD"))
        unit = settings_of(PACKAGE / "runnel.service")["ExecStart"]
        self.assertEqual(" ".join(entry + command), unit + " --listen 0.0.0.0:8080")

    def test_its_health_is_asked_where_it_listens(self):
        command = json.loads(self.arguments("HEALTHCHECK")[0].partition(" CMD ")[2])
        self.assertEqual(command[-1], f"http://127.0.0.1:{self.arguments('EXPOSE')[0]}/healthz")
        self.assertIn(f" {command[0]} ", self.arguments("RUN")[1], "what asks is installed")

    def test_the_context_has_what_the_package_needs(self):
        ignored = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").split()
        for name in ("src", "deploy", "docs", "dev", "CMakeLists.txt", "README.md", "CHANGELOG.md"):
            self.assertNotIn(name, ignored)


class ComposeTest(DeploymentTest):
    @classmethod
    def setUpClass(cls):
        cls.services = read(COMPOSE / "compose.yaml")["services"]
        cls.volumes = read(COMPOSE / "compose.yaml")["volumes"]
        cls.runnel = cls.services["runnel"]
        cls.config = read(COMPOSE / "runnel.yaml")

    def test_every_variable_is_in_the_example(self):
        text = (COMPOSE / "compose.yaml").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"\$\{(\w+)", text)), set(variables_of(COMPOSE / ".env.example")))

    def test_the_config_is_right_with_the_variables_that_it_gets(self):
        self.assert_config_is_right(COMPOSE / "runnel.yaml", {name: SOME_VALUE for name in self.runnel["environment"]})

    def test_an_empty_providers_key_is_no_mistake(self):
        """The demo models answer without."""
        empty = {name: "" if ":-" in value else SOME_VALUE for name, value in self.runnel["environment"].items()}
        done = subprocess.run([BINARY, "check", COMPOSE / "runnel.yaml"], env=empty, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_store_and_redis_are_the_services_beside_it(self):
        database = self.services["postgres"]["environment"]
        self.assertEqual(self.config["store"],
                         f"postgres://{database['POSTGRES_USER']}:${{POSTGRES_PASSWORD}}@postgres/{database['POSTGRES_DB']}")
        self.assertEqual(self.config["shared"], "redis://:${REDIS_PASSWORD}@redis")
        redis = self.services["redis"]
        self.assertIn("${REDIS_PASSWORD:?", redis["environment"]["REDISCLI_AUTH"])
        self.assertEqual(redis["configs"], [{"source": "redis", "target": redis["command"][-1]}])
        settings = read(COMPOSE / "compose.yaml")["configs"]["redis"]["content"]
        self.assertRegex(settings, r"^requirepass \$\{REDIS_PASSWORD:\?")

    def test_it_waits_for_services_that_say_when_they_are_well(self):
        for name, how in self.runnel["depends_on"].items():
            self.assertEqual(how, {"condition": "service_healthy"})
            self.assertIn("test", self.services[name]["healthcheck"])

    def test_every_volume_is_declared_and_used(self):
        mounted = [volume.split(":")[0] for service in self.services.values() for volume in service["volumes"]]
        self.assertEqual({name for name in mounted if not name.startswith(".")}, set(self.volumes))
        for name in mounted:
            if name.startswith("."):
                self.assertTrue((COMPOSE / name).is_file(), name)

    def test_paths_and_ports_are_the_images(self):
        self.assertEqual(self.runnel["volumes"], ["./runnel.yaml:/etc/runnel/runnel.yaml:ro",
                                                  f"runnel-data:{self.config['data']}"])
        self.assertEqual(self.runnel["ports"], [f"127.0.0.1:8080:{port_of(self.config)}"])
        build = self.runnel["build"]
        self.assertTrue((COMPOSE / build["context"] / build["dockerfile"]).is_file())

    def test_docker_waits_longer_than_the_drain_takes(self):
        self.assertGreaterEqual(seconds_of(self.runnel["stop_grace_period"]),
                                seconds_of(self.config["drain_timeout"]) + GOODBYE_SECONDS)

    def test_the_image_has_the_binarys_version(self):
        self.assertEqual(self.runnel["image"], f"runnel:{version()}")

    def test_it_may_do_little(self):
        self.assertEqual((self.runnel["read_only"], self.runnel["cap_drop"]), (True, ["ALL"]))
        for service in ("postgres", "redis"):
            self.assertNotIn("ports", self.services[service], "only for the services beside it")


class KubernetesTest(DeploymentTest):
    @classmethod
    def setUpClass(cls):
        cls.kustomization = read(KUBERNETES / "kustomization.yaml")
        objects = [read(KUBERNETES / name) for name in cls.kustomization["resources"]]
        cls.objects = {thing["kind"]: thing for thing in objects}
        cls.pod = cls.objects["Deployment"]["spec"]["template"]
        cls.container = cls.pod["spec"]["containers"][0]
        cls.config = read(KUBERNETES / "runnel.yaml")

    def test_every_file_is_used(self):
        listed = {*self.kustomization["resources"], *self.kustomization["configMapGenerator"][0]["files"],
                  "kustomization.yaml", "secret.example.yaml"}
        self.assertEqual({path.name for path in KUBERNETES.iterdir()}, listed)

    def test_the_versions_of_the_api_are_current(self):
        versions = {kind: thing["apiVersion"] for kind, thing in self.objects.items()}
        self.assertEqual(versions, {"ServiceAccount": "v1", "Deployment": "apps/v1", "Service": "v1",
                                    "PodDisruptionBudget": "policy/v1", "HorizontalPodAutoscaler": "autoscaling/v2"})

    def test_all_mean_the_same_pods(self):
        labels = self.pod["metadata"]["labels"]
        self.assertEqual(labels, self.kustomization["labels"][0]["pairs"])
        selectors = [self.objects["Deployment"]["spec"]["selector"]["matchLabels"],
                     self.objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
                     self.objects["Service"]["spec"]["selector"],
                     self.pod["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]]
        self.assertEqual(selectors, [labels] * len(selectors))
        self.assertEqual(self.objects["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"],
                         {"apiVersion": "apps/v1", "kind": "Deployment",
                          "name": self.objects["Deployment"]["metadata"]["name"]})
        self.assertEqual(self.pod["spec"]["serviceAccountName"], self.objects["ServiceAccount"]["metadata"]["name"])

    def test_the_autoscaler_alone_decides_how_many(self):
        self.assertNotIn("replicas", self.objects["Deployment"]["spec"])
        limits = self.objects["HorizontalPodAutoscaler"]["spec"]
        self.assertTrue(2 <= limits["minReplicas"] < limits["maxReplicas"])
        self.assertIn("cpu", self.container["resources"]["requests"], "what the utilization is a share of")

    def test_the_config_is_right_with_the_secret_that_it_gets(self):
        wanted = {entry["name"]: entry["valueFrom"]["secretKeyRef"] for entry in self.container["env"]}
        secret = read(KUBERNETES / "secret.example.yaml")
        for name, reference in wanted.items():
            self.assertEqual(reference, {"name": secret["metadata"]["name"], "key": name})
        self.assertEqual(set(secret["stringData"]), set(wanted))
        used = VARIABLE.findall((KUBERNETES / "runnel.yaml").read_text(encoding="utf-8"))
        self.assertEqual(set(used), set(wanted))
        self.assert_config_is_right(KUBERNETES / "runnel.yaml", secret["stringData"])

    def test_every_volume_is_there_and_mounted(self):
        volumes = {volume["name"]: volume for volume in self.pod["spec"]["volumes"]}
        mounts = {mount["name"]: mount["mountPath"] for mount in self.container["volumeMounts"]}
        self.assertEqual(set(volumes), set(mounts))
        self.assertEqual(volumes["config"]["configMap"]["name"], self.kustomization["configMapGenerator"][0]["name"])
        self.assertEqual(self.container["args"][-1], mounts["config"] + "/runnel.yaml")
        self.assertEqual(self.config["data"], mounts["data"])

    def test_probes_ask_where_it_listens(self):
        self.assertEqual(self.container["ports"], [{"name": "http", "containerPort": port_of(self.config)}])
        self.assertEqual(self.objects["Service"]["spec"]["ports"][0]["targetPort"], "http")
        asked = {kind: self.container[kind + "Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}
        self.assertEqual(asked, {"startup": {"path": "/healthz", "port": "http"},
                                 "liveness": {"path": "/healthz", "port": "http"},
                                 "readiness": {"path": "/readyz", "port": "http"}})

    def test_a_pod_has_time_to_drain(self):
        command, seconds = self.container["lifecycle"]["preStop"]["exec"]["command"]
        self.assertEqual(command, "sleep")
        self.assertGreaterEqual(self.pod["spec"]["terminationGracePeriodSeconds"],
                                int(seconds) + seconds_of(self.config["drain_timeout"]) + GOODBYE_SECONDS)

    def test_it_runs_as_the_images_user_and_may_do_little(self):
        user = re.search(r"^USER (\d+):", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.M)[1]
        context = self.pod["spec"]["securityContext"]
        self.assertEqual({context[key] for key in ("runAsUser", "runAsGroup", "fsGroup")}, {int(user)})
        self.assertTrue(context["runAsNonRoot"])
        self.assertEqual(self.container["securityContext"], {"allowPrivilegeEscalation": False,
                                                             "readOnlyRootFilesystem": True,
                                                             "capabilities": {"drop": ["ALL"]}})
        self.assertFalse(self.pod["spec"]["automountServiceAccountToken"])

    def test_the_image_is_the_composes(self):
        image = self.kustomization["images"][0]
        self.assertEqual((image["name"], image["newTag"]), (self.container["image"], version()))

    def test_nobody_asks_an_open_gateway_over_a_network(self):
        for config in (self.config, read(COMPOSE / "runnel.yaml")):
            self.assertEqual(config["auth"], {"mode": "keys"})
            self.assertRegex(config["admin"]["token"], VARIABLE)


if __name__ == "__main__":
    unittest.main()
