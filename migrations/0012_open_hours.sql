-- Counts of the current hour in `rating_totals`, so that a rating updates one row for its post instead of two.

-- `rating_totals.open_hour`: hour whose ratings are still counted in this row; NULL before the first rating. The first rating
-- of a later hour copies the counts to `rating_history`.
-- `rating_totals.open_…`: like the columns of `rating_history`, for this hour.
alter table rating_totals
    add column open_hour timestamptz,
    add column open_admitted bigint not null default 0,
    add column open_refused bigint not null default 0,
    add column open_changed bigint not null default 0,
    add column open_refused_changes bigint not null default 0,
    add column open_refused_1 bigint not null default 0,
    add column open_refused_2 bigint not null default 0,
    add column open_refused_3 bigint not null default 0,
    add column open_refused_4 bigint not null default 0,
    add column open_refused_5 bigint not null default 0;

-- View `rating_hours`: all hours of a post with ratings: those in `rating_history`, and the open hour in `rating_totals`.
create view rating_hours as
    select blog_id, hour, admitted, refused, changed, refused_changes, refused_1, refused_2, refused_3, refused_4, refused_5,
        rating_count, rating_sum, steady_rating
    from rating_history
    union all
    select blog_id, open_hour, open_admitted, open_refused, open_changed, open_refused_changes, open_refused_1,
        open_refused_2, open_refused_3, open_refused_4, open_refused_5, rating_count, rating_sum, steady_rating
    from rating_totals where open_admitted + open_refused > 0;
