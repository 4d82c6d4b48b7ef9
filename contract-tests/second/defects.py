"""Planted defects and harmless differences, as the lists beside this file name them."""
import os

COMBOS = {
    "quiet_provider": ["omit_created_at", "omit_reference_null", "retry_after_absent", "latency_zero"],
    "other_vendor": ["extra_members", "key_order", "ids_uuid", "other_messages", "other_people", "other_prices", "flow_ids_of_other_shape", "lowercase_header_names", "created_at_offset_zero"],
    "bad_network": ["connection_drops", "slow_but_allowed", "honest_5xx", "duplicate_webhooks", "webhook_jitter", "idle_first_byte"],
}


def _read(file, columns):
    out = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), file), encoding="utf-8") as lines:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            parts = [p.strip() for p in line.split(" | ")]
            assert len(parts) == columns, line
            name = parts[0].rstrip("~")
            assert name not in out, name
            out[name] = (parts[1:], parts[0].endswith("~"))
    return out


D = _read("defects.txt", 4)
P = _read("defects_by_operation.txt", 4)
H = _read("harmless.txt", 3)


def listing():
    """All of them, for those who plant them."""
    def row(name, entry):
        (needs, clause, what), weak = entry
        return {"name": name, "needs": needs.split(","), "clause": clause, "what": what, "certain": not weak}

    defects = [row(k, v) for k, v in D.items()]
    by_operation = [row(k, v) for k, v in P.items()]
    harmless = [{"name": k, "what": v[0], "permitted_by": v[1], "certain": not weak} for k, (v, weak) in H.items()]
    return {"defects": defects, "defects_by_operation": by_operation, "harmless": harmless, "harmless_combinations": COMBOS}


def check_names(defects, harmless):
    """The names, with combinations taken apart. Raises ValueError for one that is not there."""
    for name in defects:
        if name.split(":")[0] not in D and name.split(":")[0] not in P:
            raise ValueError("unknown defect " + name)
    out = []
    for name in harmless:
        if name not in H and name not in COMBOS:
            raise ValueError("unknown harmless difference " + name)
        out += COMBOS.get(name, [name])
    return defects, out
