-- How far `evenkeel loaddata` has come, so that it goes on where it was broken off.
create table data_loads (
    begun_at timestamptz primary key default clock_timestamp(),
    -- Objects of the dump that are loaded, and their SHA-256.
    objects bigint not null,
    digest bytea not null,
    finished_at timestamptz
);
create unique index data_loads_unfinished on data_loads ((true)) where finished_at is null;
