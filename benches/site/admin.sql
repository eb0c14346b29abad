-- Data for the admin benchmark: a site with `admin.posts` posts, ten times as many ratings, and other rows in proportion. Every
-- user has rated post 1, and user 50 has rated 5 % of the posts. User 1 is the owner.
set synchronous_commit = off;
set maintenance_work_mem = '512MB';
set work_mem = '128MB';

update users set is_staff = true, staff_role = 'owner' where id = 1;
insert into users (username, username_key, username_skeleton, email, password_hash, created_at, blocked_at, blocked_reason)
select 'user' || n, 'user' || n, 'user' || n, 'user@example.org', '!', timestamptz '2020-01-01' + n * interval '30 minutes',
    case when n % 1000 = 0 then now() end, case when n % 1000 = 0 then 'a reason' end
from generate_series(2, current_setting('admin.posts')::bigint / 10) n order by n;

alter table blog_posts disable trigger user;
insert into blog_posts (author_id, title, content, content_html, excerpt, created_at, updated_at, published_at,
    first_published_at, rendered_by, language, status, tags, search_title, unpublished_version)
select 1 + n % (current_setting('admin.posts')::bigint / 200), 'Title ' || n, repeat('text ', 100),
    '<p>' || repeat('text ', 100) || '</p>', 'text', t, t, case when n % 100 <> 0 then t end, t,
    current_setting('admin.rendered_by')::integer, 'en',
    case when n % 100 <> 0 then 'published' else 'draft' end, array['tag' || n % 200, 'tag' || n % 7], 'title ' || n,
    case when n % 1000 = 0 then 1 end
from generate_series(1, current_setting('admin.posts')::bigint) n,
    lateral (select timestamptz '2020-01-01' + n * interval '3 minutes') as times (t);
insert into rating_totals (blog_id, stars_3) select id, 10 from blog_posts;
alter table blog_posts enable trigger user;

-- The keys and indexes of `rates` are created after its rows are inserted, which is many times faster.
alter table rates drop constraint unique_user_blog_rating, drop constraint rates_blog_id_fkey,
    drop constraint rates_user_id_fkey;
drop index rates_of_user;
insert into rates (user_id, blog_id, rating, created_at, updated_at)
select id, 1, 1 + id % 5, now(), now() from users;
insert into rates (user_id, blog_id, rating, created_at, updated_at)
select 50, n + 1, 1 + n % 5, now() - n * interval '1 minute', now() - n * interval '1 minute'
from generate_series(1, current_setting('admin.posts')::bigint / 20) n;
-- The user and post ids of `rates` step through their ranges with different strides, so that few pairs repeat. `distinct on`
-- removes the repeated pairs.
insert into rates (user_id, blog_id, rating, created_at, updated_at)
select distinct on (post, reader) reader, post, 3, t, t
from generate_series(1, current_setting('admin.posts')::bigint * 985 / 100) n,
    lateral (select 51 + n * 7919 % (current_setting('admin.posts')::bigint / 10 - 51),
        2 + current_setting('admin.posts')::bigint / 20
            + n * 104729 % (current_setting('admin.posts')::bigint * 19 / 20 - 2),
        timestamptz '2021-01-01' + n * interval '15 seconds') as rating (reader, post, t)
order by post, reader;
alter table rates add constraint unique_user_blog_rating primary key (blog_id, user_id),
    add constraint rates_blog_id_fkey foreign key (blog_id) references rating_totals on delete cascade not valid,
    add constraint rates_user_id_fkey foreign key (user_id) references users on delete restrict not valid;
create index rates_of_user on rates (user_id, updated_at desc, id desc);

insert into refused_ratings (blog_id, user_id, rating, at)
select 1 + n * 31 % 1000, 1 + n % (current_setting('admin.posts')::bigint / 10), 1, now() - n * interval '0.2 seconds'
from generate_series(1, current_setting('admin.posts')::bigint) n;
insert into audit_log (at, act, actor_id, user_id, post_id, details)
select now() - (current_setting('admin.posts')::bigint * 3 - n) * interval '10 seconds',
    (array['post.unpublish', 'user.block', 'days.exclude', 'limiter.choose'])[1 + n % 4], 1 + n % 10,
    1 + n % (current_setting('admin.posts')::bigint / 10), 1 + n % current_setting('admin.posts')::bigint,
    jsonb_build_object('reason', 'reason number ' || n || ' of words')
from generate_series(1, current_setting('admin.posts')::bigint * 3) n;
insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at, network, device)
select sha256(n::text::bytea), 1 + n % (current_setting('admin.posts')::bigint / 10), '{"session_version": 1}',
    now() - n * interval '1 second', now(), now() + interval '30 days', '192.0.2.1', 'Firefox on Linux'
from generate_series(1, current_setting('admin.posts')::bigint * 3 / 10) n;
insert into zombie_pauses (user_id, blog_id, tat_ns, paused_at)
select 1 + n % (current_setting('admin.posts')::bigint / 10), 1 + n * 7 % current_setting('admin.posts')::bigint, 1,
    now() - n * interval '1 second'
from generate_series(1, current_setting('admin.posts')::bigint / 5) n on conflict do nothing;
insert into outbox (kind, recipient, subject, body_text, body_html, created_at, expires_at, next_at, pace)
select 'confirm_email', 'user' || n || '@example.org', 'Subject', repeat('t', 500), repeat('h', 1000), now(),
    now() + interval '30 days', now() + interval '20 days', case when n % 10 = 0 then '{}'::jsonb end
from generate_series(1, current_setting('admin.posts')::bigint / 10) n;
-- The maximum version in `post_links.lists` prevents the posts from being checked again.
insert into post_links (post_id, addresses, suspected, lists)
select id, array['https://example.org/' || id], case when id % 100 = 1 then array['https://example.org/' || id] else '{}' end,
    9223372036854775807
from blog_posts;
insert into report_cases (blog_id, title, content, author_id, opened_at, ruling, reason, decided_at)
select n, 'Title ' || n, 'text', 1 + n % (current_setting('admin.posts')::bigint / 200), now() - n * interval '1 minute',
    case when n % 10 <> 0 then 'kept' end, case when n % 10 <> 0 then 'a reason' end, case when n % 10 <> 0 then now() end
from generate_series(1, current_setting('admin.posts')::bigint * 3 / 10) n;
insert into reports (case_id, user_id, category, explanation, reported_at)
select 1 + n % (current_setting('admin.posts')::bigint * 3 / 10), 1 + n * 13 % (current_setting('admin.posts')::bigint / 10),
    'spam', 'words', now()
from generate_series(1, current_setting('admin.posts')::bigint * 9 / 10) n on conflict do nothing;
update blog_posts set status = 'draft', published_at = null, withheld_by = c.id
from report_cases c where c.blog_id = blog_posts.id and c.id % 500 = 1;
insert into limiter_states (limiter, key, state, updated_at, expires_at)
select case when n % 2 = 0 then 'leaky_bucket' else 'rate_class' end, 'key:' || n, '{"level_q": 1}', now(),
    now() + interval '1 day'
from generate_series(1, current_setting('admin.posts')::bigint) n;
insert into invitations (made_by, created_at, expires_at, seats)
select 1, now(), now() + interval '1 day', 5 from generate_series(1, 1000);
insert into site_hours (hour, visitors, pages, ratings, refused, limited, failures)
select date_trunc('hour', now()) - n * interval '1 hour', n, n, n, n, n, n from generate_series(0, 2160) n;
