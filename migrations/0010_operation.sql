-- Statistics and progress of commands.

-- Events by hour, summed over all instances, for the dashboard of the admin area.
create table site_hours (
    -- Start of the hour.
    hour timestamptz primary key,
    -- Users and networks that requested pages. Each instance counts separately.
    visitors bigint not null default 0,
    pages bigint not null default 0,
    -- Ratings that were counted, and ratings that a rating limiter refused.
    ratings bigint not null default 0,
    refused bigint not null default 0,
    -- Requests that were rate limited, and requests that failed.
    limited bigint not null default 0,
    failures bigint not null default 0
) with (fillfactor = 50);

-- Progress of `evenkeel loaddata`, so that an interrupted load can continue.
create table data_loads (
    begun_at timestamptz primary key default clock_timestamp(),
    -- Number of objects of the dump that have been loaded, and their SHA-256 hash.
    objects bigint not null,
    digest bytea not null,
    finished_at timestamptz
);
create unique index data_loads_unfinished on data_loads ((true)) where finished_at is null;
