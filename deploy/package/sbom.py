#!/usr/bin/env python3
"""What a binary is made of, as a CycloneDX bill of materials: libraries it loads and headers that are compiled into it, by their
Debian packages, and the npm packages in its console.

usage: deploy/package/sbom.py RUNNEL [BUILT] > runnel.cdx.json     BUILT: the file to take the checksum of, if not RUNNEL itself

The same binary on the same system makes the same bill: there is no time in it.
"""

import hashlib
import json
import re
import subprocess
import sys
import urllib.parse
import uuid
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# Libraries that are headers only: nothing in the binary names them.
COMPILED_IN = ("libboost1.81-dev", "libcli11-dev")
# What Debian's copyright files call a licence, and what SPDX does.
SPDX = {"expat": "MIT", "mit": "MIT", "apache-2.0": "Apache-2.0", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
        "bsl-1.0": "BSL-1.0", "boost-1.0": "BSL-1.0", "zlib": "Zlib", "isc": "ISC", "lgpl-2.1+": "LGPL-2.1-or-later",
        "lgpl-2.1": "LGPL-2.1-only", "lgpl-2+": "LGPL-2.0-or-later", "lgpl-3+": "LGPL-3.0-or-later",
        "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later",
        "postgresql": "PostgreSQL", "openldap-2.8": "OLDAP-2.8", "apache": "Apache-2.0"}


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def loaded_libraries(binary):
    """The files that the loader takes, whoever asks for them."""
    return sorted(set(re.findall(r"=> (/\S+)", output_of("ldd", binary))))


def package_of(file):
    """The Debian package that a file belongs to; the loader may name it through a link (/lib -> /usr/lib)."""
    for name in (file, str(Path(file).resolve()), re.sub("^/usr", "", str(Path(file).resolve()))):
        found = output_of("dpkg-query", "-S", name)
        if found:
            return found.split(": ")[0].split(",")[0]
    return None


def licences_of(package):
    """What its copyright file says of all files that are not named, in the machine-readable form."""
    file = Path("/usr/share/doc", package.split(":")[0], "copyright")
    if not file.is_file():
        return []
    text = file.read_text(encoding="utf-8", errors="replace")
    if not re.match(r"\s*Format:", text):
        return []
    usual = [part for part in re.split(r"\n\s*\n", text) if re.search(r"^Files: *\*\s*$", part, re.M)]
    names = []
    for said in re.findall(r"^License: *(\S.*)$", "\n".join(usual), re.M):
        names += re.split(r",? and |,? or |, ", said.strip())
    ids = {SPDX.get(name.lower()) or name for name in names if name}
    return [{"license": {"id": name} if name in SPDX.values() else {"name": name}} for name in sorted(ids)]


def debian_component(package, how):
    fields = "${Version}\t${source:Package}\t${source:Version}\t${Architecture}"
    said = output_of("dpkg-query", "-W", "-f", fields, package)
    if not said:
        return None
    version, source, source_version, architecture = said.split("\t")
    name = package.split(":")[0]
    url = f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='~')}?arch={architecture}"
    component = {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url,
                 "properties": [{"name": "runnel:how", "value": how},
                                {"name": "debian:source", "value": f"{source} {source_version}"}]}
    if licences := licences_of(package):
        component["licenses"] = licences
    return component


def unknown_library(file):
    """Of a system that is not Debian, or a library that no package has brought."""
    name = Path(file).name
    return {"type": "library", "bom-ref": f"file:{name}", "name": name,
            "properties": [{"name": "runnel:how", "value": "loaded"}]}


def libraries(binary):
    packages, unknown = {}, {}
    for file in loaded_libraries(binary):
        package = package_of(file)
        found = debian_component(package, "loaded") if package else None
        if found:
            packages[found["purl"]] = found
        else:
            unknown[file] = unknown_library(file)
    for package in COMPILED_IN:
        if found := debian_component(package, "compiled in"):
            packages.setdefault(found["purl"], found)
    return [packages[key] for key in sorted(packages)] + [unknown[key] for key in sorted(unknown)]


def console_packages():
    lock = json.loads((REPOSITORY / "console/package-lock.json").read_text(encoding="utf-8"))
    found = []
    for path, facts in sorted(lock["packages"].items()):
        if not path or facts.get("dev"):
            continue  # what only builds it is not in it
        name = path.rpartition("node_modules/")[2]
        url = f"pkg:npm/{name.replace('@', '%40')}@{facts['version']}"
        component = {"type": "library", "bom-ref": url, "name": name, "version": facts["version"], "purl": url,
                     "properties": [{"name": "runnel:how", "value": "in the console"}]}
        if "license" in facts:
            component["licenses"] = [{"license": {"id": facts["license"]}}]
        found.append(component)
    return found


def bill_of(binary, built):
    version = output_of(binary, "version").split()[1]
    components = libraries(binary) + console_packages()
    itself = {"type": "application", "bom-ref": f"runnel@{version}", "name": "runnel", "version": version,
              "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(Path(built).read_bytes()).hexdigest()}]}
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": itself}, "components": components,
            "dependencies": [{"ref": itself["bom-ref"], "dependsOn": [part["bom-ref"] for part in components]}]}
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    return {"bomFormat": bill.pop("bomFormat"), "specVersion": bill.pop("specVersion"), "serialNumber": f"urn:uuid:{number}",
            **bill}


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__.strip())
    json.dump(bill_of(sys.argv[1], sys.argv[-1]), sys.stdout, indent=1)
    print()
