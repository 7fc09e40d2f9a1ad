"""Times as they are stored: UTC, whole milliseconds."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present, cut to the milliseconds that BSON keeps, so that what is answered is what is read back later.

    Only for times that are shown; what decides something (leases, expiry) uses the database's `$$NOW`.
    """
    present = datetime.now(UTC)
    return present.replace(microsecond=present.microsecond // 1000 * 1000)
