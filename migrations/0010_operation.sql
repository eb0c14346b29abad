-- Hourly statistics for the admin dashboard, and requests with an idempotency key.

-- Table `site_hours`: number of events per hour, summed over all instances, for the admin dashboard.
create table site_hours (
    -- `site_hours.hour`: start of the hour.
    hour timestamptz primary key,
    -- `site_hours.visitors`: number of users and networks that requested a page, counted separately by each instance.
    -- `site_hours.pages`: number of pages.
    visitors bigint not null default 0,
    pages bigint not null default 0,
    -- `site_hours.ratings`, `site_hours.refused`: number of ratings that were counted, and that a rating limiter refused.
    ratings bigint not null default 0,
    refused bigint not null default 0,
    -- `site_hours.limited`, `site_hours.failures`: number of requests that were rate limited, and of requests that failed with a
    -- server error.
    limited bigint not null default 0,
    failures bigint not null default 0
) with (fillfactor = 50);

-- Table `idempotent_requests`: requests with an idempotency key, kept for 24 hours. A repeated request gets the first
-- response and takes effect only once.
create table idempotent_requests (
    user_id bigint not null references users on delete cascade,
    -- `idempotent_requests.key_hash`: SHA-256 hash of the key.
    key_hash bytea not null,
    -- `idempotent_requests.target`: method, URL and response format of the request.
    target text not null,
    started_at timestamptz not null,
    -- Response, NULL until the request has succeeded. `idempotent_requests.headers`: array of pairs of name and value.
    status smallint,
    headers jsonb,
    body bytea,
    primary key (user_id, key_hash)
);
create index idempotent_requests_by_user on idempotent_requests (user_id, started_at);
create index idempotent_requests_by_age on idempotent_requests (started_at);
