"""People, companies and others with a story, whom every operation knows."""

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Sequence


@dataclass(frozen=True)
class Persona:
    """Somebody with a story, and the identifiers that they are asked for by."""

    name: str
    display: str
    kind: str
    story: str
    identifiers: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        """The value for a field of a request, such as `pan` or `accountNumber`."""
        if field not in self.identifiers:
            raise KeyError(f"{self.name} has no {field}, but {', '.join(sorted(self.identifiers))}")
        return self.identifiers[field]


class Personas(Mapping[str, Persona]):
    """All of them, by name."""

    def __init__(self, people: Sequence[Mapping[str, Any]]) -> None:
        self._people: Dict[str, Persona] = {person["name"]: _persona(person) for person in people}

    def __getitem__(self, name: str) -> Persona:
        if name not in self._people:
            raise KeyError(f"nobody is called {name!r}; `svc-simulator people` lists who there is")
        return self._people[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._people)

    def __len__(self) -> int:
        return len(self._people)

    def known_by(self, field: str) -> List[Persona]:
        """Those who have this identifier."""
        return [persona for persona in self._people.values() if field in persona.identifiers]


def _persona(person: Mapping[str, Any]) -> Persona:
    identifiers: Dict[str, str] = {}
    for identifier in person["identifiers"]:
        for field in identifier["fields"]:
            identifiers.setdefault(field, identifier["value"])
    return Persona(person["name"], person["display"], person["kind"], person["story"], identifiers)
