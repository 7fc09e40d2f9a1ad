"""Everything that can be followed: one mixin per noun."""

import strawberry

from schema.job_events import JobSubscriptions
from schema.news import NewsSubscriptions


@strawberry.type(description="Everything that can be followed while it happens.")
class Subscription(JobSubscriptions, NewsSubscriptions):
    pass
