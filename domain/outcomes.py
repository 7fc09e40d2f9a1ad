"""What a publish did, and the mark of a value that was not given."""

from enum import Enum, StrEnum
from typing import Final


class Outcome(StrEnum):
    """CREATED: the record is new. PUBLISHED: a revision was cut. UNCHANGED: the content equals the latest revision."""

    CREATED = "CREATED"
    PUBLISHED = "PUBLISHED"
    UNCHANGED = "UNCHANGED"


class Absent(Enum):
    """The type of ABSENT, so that "not given" and an explicit null stay apart."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
