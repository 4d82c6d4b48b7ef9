"""Writes the kits' typed operations from the simulator's OpenAPI document.

    python3 kits/generate.py http://127.0.0.1:8800/openapi.json [--check]

The document may also be a file. With --check nothing is written, and the exit code is 1 where a file would change.
"""

import json
import keyword
import re
import sys
import urllib.request
from pathlib import Path

KITS = Path(__file__).resolve().parent
NOTE = "Written by kits/generate.py from /openapi.json: change that, not this."


class Document:
    """The OpenAPI document, read without relying on how its components are called."""

    def __init__(self, root):
        self.root = root

    def resolve(self, schema):
        """The schema that a reference leads to."""
        while "$ref" in schema:
            node = self.root
            for part in schema["$ref"].lstrip("#/").split("/"):
                node = node[part.replace("~1", "/").replace("~0", "~")]
            schema = node
        return schema

    def merged(self, schema):
        """The schema with what its allOf says laid together."""
        schema = self.resolve(schema)
        whole = {"properties": {}, "required": []}
        for part in [self.merged(part) for part in schema.get("allOf", [])] + [schema]:
            whole["properties"].update(part.get("properties", {}))
            whole["required"] += part.get("required", [])
            whole.update({key: part[key] for key in part if key not in ("properties", "required", "allOf")})
        return whole

    def operations(self):
        """Each operation that is called with a body: id, summary, path, body, data of the answer."""
        for path, methods in self.root["paths"].items():
            post = methods.get("post")
            if post and path.startswith("/v1/"):
                for part in post.get("parameters", []):
                    if part["in"] == "path":
                        # A client calls the one path that is documented.
                        path = path.replace("{" + part["name"] + "}", part["schema"]["examples"][0])
                body = self.merged(post["requestBody"]["content"]["application/json"]["schema"])
                yield post["operationId"], post.get("summary", ""), path, body, self.data(post)

    def data(self, post):
        """The members of `data` in a completed answer; of several forms, all members, required where all have them."""
        forms = []
        for status in ("200", "202"):
            if status in post["responses"]:
                answer = self.resolve(post["responses"][status])["content"]["application/json"]["schema"]
                answer = self.merged(answer)
                forms += [self.merged(form) for form in answer.get("oneOf", answer.get("anyOf", [answer]))]
        datas = [self.merged(form["properties"]["data"]) for form in forms if "data" in form["properties"]]
        datas = [part for data in datas for part in ([self.merged(f) for f in data.get("oneOf", [])] or [data])]
        whole = {"type": "object", "properties": {}, "required": None}
        for data in datas:
            for name, schema in data["properties"].items():
                whole["properties"].setdefault(name, schema)
            required = set(data["required"])
            whole["required"] = required if whole["required"] is None else whole["required"] & required
        whole["required"] = whole["required"] or set()
        return whole

    def usage(self):
        """The members of what an account spent."""
        return self.data(self.root["paths"]["/v1/usage"]["get"])

    def control_types(self):
        """The components of the control API."""
        for name, schema in self.root["components"]["schemas"].items():
            if name.startswith("Control"):
                yield name[len("Control"):], schema


def words(identifier):
    return [word for word in re.split(r"[^A-Za-z0-9]+", identifier) if word]


def pascal(identifier):
    return "".join(word[0].upper() + word[1:] for word in words(identifier))


def snake(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", "_".join(words(name))).lower()
    return name + "_" if keyword.iskeyword(name) else name


def parameter(field):
    """A field's name as a parameter; the names of the headers' parameters are taken."""
    name = snake(field)
    return "body_" + name if name in ("idempotency_key", "reference_id") else name


def camel(identifier):
    name = pascal(identifier)
    return name[0].lower() + name[1:]


class Types:
    """Named types of nested objects, in the order in which they must be declared."""

    def __init__(self, document):
        self.document = document
        self.declared = []
        self.names = set()

    def of(self, schema, name):
        """The type of a schema, in this language; objects with members get a declaration under this name."""
        ref = schema.get("$ref", "").rsplit("/", 1)[-1]
        if ref.startswith("Control"):
            return self.named(ref[len("Control"):])
        schema = self.document.resolve(schema)
        options = schema.get("oneOf", schema.get("anyOf"))
        if options:
            return self.union([self.of(option, name) for option in options])
        if "const" in schema:
            return self.literal([schema["const"]])
        if "enum" in schema:
            return self.literal(schema["enum"])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return self.union([self.of({**schema, "type": kind}, name) for kind in kinds])
        if kinds == "array":
            return self.array(self.of(schema.get("items", {}), name + "Item"))
        if schema.get("properties"):
            if name not in self.names:
                self.names.add(name)
                self.declare(name, schema)
            return self.named(name)
        return self.PLAIN.get(kinds, self.UNKNOWN)

    def union(self, options):
        return " | ".join(dict.fromkeys(options))


class PythonTypes(Types):
    PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
             "object": "Dict[str, Any]"}
    UNKNOWN = "Any"

    def named(self, name):
        return f'"{name}"'

    def array(self, item):
        return f"List[{item}]"

    def union(self, options):
        options = list(dict.fromkeys(options))
        return options[0] if len(options) == 1 else f"Union[{', '.join(options)}]"

    def literal(self, values):
        return f"Literal[{', '.join(repr(value) for value in values)}]"

    def declare(self, name, schema):
        members = schema["properties"].items()
        required = set(schema.get("required") or ())
        halves = [[(key, self.of(value, name + pascal(key))) for key, value in members if (key in required) is half]
                  for half in (True, False)]
        plain = all(key.isidentifier() and not keyword.iskeyword(key) for key, _ in members)
        lines = []
        base, total = "TypedDict", ""
        if halves[0] and halves[1]:
            lines += self.form("_" + name, "TypedDict", halves[0], "", plain) + ["", ""]
            base = "_" + name
        elif halves[1]:
            pass
        fields = halves[1] or halves[0]
        total = ", total=False" if halves[1] else ""
        if plain or base == "TypedDict":
            lines += self.form(name, base, fields, total, plain)
        else:
            lines += self.form("_Optional" + name, "TypedDict", fields, total, plain) + ["", ""]
            lines += [f"class {name}({base}, _Optional{name}):", '    """Members that are always there, and others."""']
        self.declared += lines + ["", ""]

    def form(self, name, base, fields, total, plain):
        if plain:
            return [f"class {name}({base}{total}):"] + [f"    {key}: {kind}" for key, kind in fields]
        return [f"{name} = TypedDict(", f'    "{name}",', "    {"] + \
            [f'        "{key}": {kind},' for key, kind in fields] + ["    }" + (total or "") + ",", ")"]


class TypeScriptTypes(Types):
    PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null",
             "object": "Record<string, unknown>"}
    UNKNOWN = "unknown"

    def named(self, name):
        return name

    def array(self, item):
        return f"Array<{item}>"

    def literal(self, values):
        return " | ".join(json.dumps(value) for value in values)

    def declare(self, name, schema):
        required = set(schema.get("required") or ())
        lines = [f"export interface {name} {{"]
        for key, value in schema["properties"].items():
            kind = self.of(value, name + pascal(key))
            about = self.document.resolve(value).get("description")
            if about:
                lines.append(f"  /** {about} */")
            label = key if key.isidentifier() else json.dumps(key)
            lines.append(f"  {label}{'' if key in required else '?'}: {kind};")
        self.declared += lines + ["}", ""]


def declare_control(types):
    for name, schema in types.document.control_types():
        schema = types.document.resolve(schema)
        if schema.get("properties"):
            types.declare(name, schema)
        else:
            alias = types.of(schema, name)
            types.declared += [f"{name} = {alias}", "", ""] if isinstance(types, PythonTypes) \
                else [f"export type {name} = {alias};", ""]


PYTHON_HEAD = "from typing import Any, Dict, List, Literal, TypedDict, Union\n\n"


def python_files(document):
    control = PythonTypes(document)
    # Aliases must stand after what they name only where they are evaluated; names in quotes are not.
    declare_control(control)
    data = PythonTypes(document)
    methods, awaited = [], []
    data.of(document.usage(), "UsageData")
    for identifier, summary, path, body, answer in document.operations():
        kind = data.of(answer, pascal(identifier) + "Data").strip('"')
        if "properties" not in answer or not answer["properties"]:
            kind = "Dict[str, Any]"
        prefix = "" if kind.startswith("Dict") else "models."
        for lines, start, wait in ((methods, "def", ""), (awaited, "async def", "await ")):
            lines += python_method(data, identifier, summary, path, body, prefix + kind, start, wait)
    head = f'"""{{}} {NOTE}"""\n\n'
    operations = [head.format("A method for each operation."), "from typing import Any, Dict, List, Literal, Optional, Union\n\n",
                  "from . import models\nfrom .result import AsyncTransport, Result, Transport, given\n\n\n",
                  "class Operations(Transport):\n",
                  '    """Calls each operation and waits for its answer."""\n\n', "\n".join(methods), "\n\n",
                  "class AsyncOperations(AsyncTransport):\n",
                  '    """Calls each operation from a coroutine."""\n\n', "\n".join(awaited)]
    return {
        "python/src/svc_simulator/control_models.py":
            head.format("What the control API takes and answers.") + PYTHON_HEAD + "\n" + tidy(control.declared),
        "python/src/svc_simulator/models.py":
            head.format("What `data` holds, by operation.") + PYTHON_HEAD + "\n" + tidy(data.declared),
        "python/src/svc_simulator/operations.py": "".join(operations).rstrip() + "\n",
    }


def python_method(data, identifier, summary, path, body, kind, start, wait):
    required = set(body.get("required") or ())
    fields = sorted(body["properties"].items(), key=lambda field: field[0] not in required)
    lines = [f"    {start} {snake(identifier)}(", "        self,", "        *,"]
    for key, schema in fields:
        type_ = re.sub(r'"(\w+)"', r"models.\1", data.of(schema, pascal(identifier) + pascal(key)))
        lines.append(f"        {parameter(key)}: {type_}," if key in required
                     else f"        {parameter(key)}: Optional[{type_}] = None,")
    lines += ["        idempotency_key: Optional[str] = None,", "        reference_id: Optional[str] = None,",
              f'    ) -> "Result[{kind}]":', f'        """{summary}: `POST {path}`."""',
              f"        return {wait}self.call(", f'            "{path}",', "            given({"]
    lines += [f'                "{key}": {parameter(key)},' for key, _ in fields]
    lines += ["            }),", "            idempotency_key=idempotency_key,", "            reference_id=reference_id,",
              "        )", ""]
    return lines


def tidy(lines):
    return "\n".join(lines).rstrip() + "\n"


def node_files(document):
    control, data = TypeScriptTypes(document), TypeScriptTypes(document)
    declare_control(control)
    declared, paths = [], []
    data.of(document.usage(), "UsageData")
    for identifier, summary, path, body, answer in document.operations():
        kind = data.of(answer, pascal(identifier) + "Data")
        request = data.of(body, pascal(identifier) + "Request") if body["properties"] else "Record<string, unknown>"
        declared += [f"  /** {summary}: `POST {path}`. */",
                     f"  {camel(identifier)}(body: {request}, options?: CallOptions): Promise<Result<{kind}>>;"]
        paths.append(f"  {camel(identifier)}: {json.dumps(path)},")
    note = f"// {NOTE}\n\n"
    return {
        "node/src/operations.js": note + "/** The path of each operation, by its method. */\nexport const PATHS = {\n"
        + "\n".join(paths) + "\n};\n",
        "node/src/operations.d.ts": note + 'import type { CallOptions, Result } from "./client.js";\n\n'
        + "export declare const PATHS: Record<keyof Operations, string>;\n\n"
        + "export interface Operations {\n" + "\n".join(declared) + "\n}\n\n" + tidy(data.declared),
        "node/src/control-models.d.ts": note + tidy(control.declared),
    }


def main():
    source, *flags = sys.argv[1:]
    text = urllib.request.urlopen(source).read() if "://" in source else Path(source).read_bytes()
    document = Document(json.loads(text))
    stale = []
    for name, content in {**python_files(document), **node_files(document)}.items():
        path = KITS / name
        if path.exists() and path.read_text() == content:
            continue
        stale.append(name)
        if "--check" not in flags:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    for name in stale:
        print(("would change " if "--check" in flags else "wrote ") + name)
    sys.exit(1 if stale and "--check" in flags else 0)


if __name__ == "__main__":
    main()
