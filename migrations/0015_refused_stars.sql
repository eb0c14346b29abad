-- What a post's gate has refused, by hour and star: for showing what the average would be without the gate, and for saying
-- that ratings are unusual (`limiters/src/unusual_activity.rs`). Hours of before have none.

alter table rating_history
    -- Of `admitted` and of `refused`, those that were changes of a rating.
    add column changed bigint not null default 0,
    add column refused_changes bigint not null default 0,
    -- People whose new rating was refused, by its stars. Who tries again within the hour counts once.
    add column refused_1 bigint not null default 0,
    add column refused_2 bigint not null default 0,
    add column refused_3 bigint not null default 0,
    add column refused_4 bigint not null default 0,
    add column refused_5 bigint not null default 0,
    -- The steady score at the end of the hour.
    add column steady_rating double precision;
