"""Print the measures of the source tree: sizes, floors and circles of imports, names, docstrings.

Usage: ``python benchmarks/house.py [FOLDER]`` (default: ``wizard``). Imports within functions and under TYPE_CHECKING
count as any other. A floor is one step in the longest chain of rooms each of which imports the next; a room is a
folder or a module right below the package, and rooms in one circle stand on one floor.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules(folder: Path) -> dict[str, ast.Module]:
    """Return each module's syntax by its dotted name, a package under its own name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text("utf-8"))
    return found


def imported(name: str, tree: ast.Module, known: dict[str, ast.Module]) -> set[str]:
    """Return the known modules that one names, also within functions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            below = {f"{node.module}.{alias.name}" for alias in node.names} & known.keys()
            found |= below or {node.module}
    return (found & known.keys()) - {name}


def rooms(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports between folders and modules right below the package."""
    joined: dict[str, set[str]] = {}
    for name, others in graph.items():
        room = ".".join(name.split(".")[:2])
        joined.setdefault(room, set()).update(".".join(other.split(".")[:2]) for other in others)
    return {room: others - {room} for room, others in joined.items()}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected parts, each after those that it imports (Tarjan)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    parts: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            place = stack.index(name)
            parts.append(stack[place:])
            del stack[place:]

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return parts


def floors(graph: dict[str, set[str]]) -> int:
    """Return how many modules the longest chain of imports passes."""
    height: dict[str, int] = {}
    for part in circles(graph):
        below = {other for name in part for other in graph[name]} - set(part)
        height.update(dict.fromkeys(part, 1 + max((height[other] for other in below), default=0)))
    return max(height.values())


def class_names(trees: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Return the modules that define each class name; the two sides of one difference between systems are one."""
    found: dict[str, set[str]] = {}
    for name, tree in trees.items():
        side = name.removesuffix("_linux").removesuffix("_windows")
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).add(side)
    return {name: sorted(places) for name, places in found.items()}


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


def public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods that others may call: nothing with a leading underscore, nothing nested."""
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else [node]
        yield from (part for part in inside if isinstance(part, FUNCTIONS) and not part.name.startswith("_"))


def described(trees: dict[str, ast.Module]) -> list[bool]:
    """Return for each public function whether it has a docstring, its own or, as `inspect.getdoc` finds it, the one of
    the method that it overrides in a class of the project."""
    classes = {node.name: node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}

    def inherits(owner: ast.ClassDef, name: str) -> bool:
        for base in owner.bases:
            word = base.value if isinstance(base, ast.Subscript) else base
            above = classes.get(word.id) if isinstance(word, ast.Name) else None
            if above is None or above is owner:
                continue
            parts = (part for part in above.body if isinstance(part, FUNCTIONS) and part.name == name)
            if any(map(ast.get_docstring, parts)) or inherits(above, name):
                return True
        return False

    owners = {part: node for node in classes.values() for part in node.body if isinstance(part, FUNCTIONS)}
    return [
        bool(ast.get_docstring(one)) or (one in owners and inherits(owners[one], one.name))
        for tree in trees.values()
        for one in public(tree)
    ]


def main(folder: Path) -> None:
    sys.setrecursionlimit(10_000)
    trees = modules(folder)
    sizes = {path: len(path.read_text("utf-8").splitlines()) for path in sorted(folder.rglob("*.py"))}
    graph = {name: imported(name, tree, trees) for name, tree in trees.items()}
    met = [part for each in (graph, rooms(graph)) for part in circles(each) if len(part) > 1]
    per_folder = Counter(str(path.parent.relative_to(folder.parent)) for path in sizes if path.name != "__init__.py")
    importers = Counter(other for others in graph.values() for other in others)
    twice = {name: places for name, places in class_names(trees).items() if len(places) > 1}
    import_lines = sum(
        lines_of(node)
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )
    lengths = [lines_of(node) for tree in trees.values() for node in functions(tree)]
    told = described(trees)
    total = sum(sizes.values())
    for label, value in {
        "files (at most 260)": len(sizes),
        "lines (at most 48,000)": total,
        "folders above 15 modules (none)": {name: count for name, count in per_folder.items() if count > 15} or 0,
        "floors of imports (at most 10)": floors(rooms(graph)),
        "circles of imports (none)": met or 0,
        "class names twice (none)": twice or 0,
        "import lines (at most 8 %)": f"{100 * import_lines / total:.1f} %",
        "public functions with a docstring (at least 75 %)": f"{100 * sum(told) / len(told):.0f} %",
        "function lines, median and p95 (p95 at most 25)": (median(lengths), quantiles(lengths, n=20)[-1]),
        "modules above 400 lines (none)": [str(path) for path, size in sizes.items() if size > 400] or 0,
        "modules with one importer": f"{100 * sum(importers[name] == 1 for name in trees) / len(trees):.0f} %",
    }.items():
        print(f"{label}: {value}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parents[1] / "wizard")
    chosen = parser.parse_args().folder
    if not any(chosen.rglob("*.py")):
        parser.exit(2, f"No Python files in {chosen}: name the folder of a package.\n")
    main(chosen)
