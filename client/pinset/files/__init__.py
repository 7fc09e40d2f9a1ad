"""Files that hold tasks, read as the inputs of the API, and written back.

Every reader is a generator: memory is bounded by the longest row, not by the file. The package knows neither the
server nor the network.
"""

from pinset.files.problems import FileProblem
from pinset.files.rows import TaskRow
from pinset.files.sources import Source, SourceKind, open_source
from pinset.files.tables import Fields

__all__ = ["Fields", "FileProblem", "Source", "SourceKind", "TaskRow", "open_source"]
