"""What is wrong with a file, and where."""

from collections.abc import Sequence


class FileProblem(Exception):
    """A file that cannot be taken as it is.

    `message` says what is wrong and what to do; `line` counts from 1; `path` leads into the JSON value of that line.
    """

    def __init__(self, message: str, line: int | None = None, path: Sequence[str | int] = ()) -> None:
        place = "" if line is None else f"line {line}: "
        super().__init__(f"{place}{message}")
        self.message = message
        self.line = line
        self.path = tuple(path)

    def at(self, line: int) -> "FileProblem":
        """The same problem with its line, where the reader of the value did not know it."""
        return self if self.line is not None else FileProblem(self.message, line, self.path)
