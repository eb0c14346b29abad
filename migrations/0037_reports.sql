-- Readers report posts. What they report of one post is one case, which staff decide; who is not content appeals once.

create table report_cases (
    id bigint generated always as identity primary key,
    -- The post, and what it said when it was reported first. It may be gone, or say something else.
    blog_id bigint not null,
    title text not null,
    content text not null,
    author_id bigint references users (id) on delete set null,
    opened_at timestamptz not null,
    -- `kept`, `taken_down`, or `gone` where the post was deleted first; null before that.
    ruling text,
    -- Of what was taken down: `law` or `rules`.
    ground text,
    reason text,
    decided_at timestamptz,
    -- Null for what was gone, and when their account is.
    decided_by bigint references users (id) on delete set null,
    -- Of what was taken down: whether it was published then, and comes back as that.
    was_published boolean not null default true,
    -- What the author or one who reported it says against that.
    appeal text,
    appeal_by text,
    -- The report of the one who appealed; null for the author.
    appeal_report bigint,
    appealed_at timestamptz,
    -- What became of it: as `ruling`, `ground`, `reason`. It is final.
    final_ruling text,
    final_ground text,
    final_reason text,
    final_at timestamptz,
    final_by bigint references users (id) on delete set null,
    constraint ruling_is_known check (
        coalesce(ruling, 'kept') in ('kept', 'taken_down', 'gone') and coalesce(final_ruling, 'kept') in ('kept', 'taken_down', 'gone')
    ),
    constraint ground_is_known check (coalesce(ground, 'law') in ('law', 'rules') and coalesce(final_ground, 'law') in ('law', 'rules')),
    constraint decision_is_whole check (
        (ruling is null) = (decided_at is null) and (ruling is not distinct from 'taken_down') = (ground is not null)
            and (reason is not null or coalesce(ruling, 'gone') = 'gone')
    ),
    constraint appeal_is_whole check (
        num_nulls(appeal, appeal_by, appealed_at) in (0, 3) and coalesce(appeal_by, 'author') in ('author', 'reporter')
            and (appealed_at is null or decided_at is not null)
    ),
    constraint final_decision_is_whole check (
        (final_ruling is null) = (final_at is null) and (final_ruling is not distinct from 'taken_down') = (final_ground is not null)
            and (final_reason is not null or coalesce(final_ruling, 'gone') = 'gone') and (final_at is null or appealed_at is not null)
    )
);
-- One at a time.
create unique index report_cases_open on report_cases (blog_id) where decided_at is null;
create index report_cases_waiting on report_cases (id)
    where decided_at is null or (appealed_at is not null and final_at is null);
create index report_cases_of_post on report_cases (blog_id, id desc);
create index report_cases_of_author on report_cases (author_id, id desc) where author_id is not null;
create index report_cases_of_staff on report_cases (decided_by) where decided_by is not null;
create index report_cases_of_last_staff on report_cases (final_by) where final_by is not null;
create index report_cases_by_decision on report_cases (decided_at) where decided_at is not null;

create table reports (
    id bigint generated always as identity primary key,
    case_id bigint not null references report_cases (id) on delete cascade,
    -- Null for guests, and when their account is gone.
    user_id bigint references users (id) on delete set null,
    -- Such as `spam`.
    category text not null,
    explanation text not null,
    reported_at timestamptz not null
);
create unique index reports_of_case on reports (case_id, user_id, id);
create unique index reports_once on reports (user_id, case_id) where user_id is not null;

-- The case by which staff took it down: while that stands, it is not published.
alter table blog_posts
    add column withheld_by bigint references report_cases (id),
    -- The version that staff unpublished: while it is that, they can publish it again.
    add column unpublished_version integer,
    add constraint withheld_is_draft check (withheld_by is null or status = 'draft') not valid;
create index blog_posts_withheld on blog_posts (withheld_by) where withheld_by is not null;

-- A post that is gone needs no decision, whoever deletes it.
create function close_report_cases() returns trigger language plpgsql as $$
begin
    update report_cases set ruling = 'gone', decided_at = clock_timestamp() where blog_id = old.id and decided_at is null;
    update report_cases set final_ruling = 'gone', final_at = clock_timestamp()
    where blog_id = old.id and appealed_at is not null and final_at is null;
    return null;
end $$;
create trigger close_report_cases after delete on blog_posts for each row execute function close_report_cases();
