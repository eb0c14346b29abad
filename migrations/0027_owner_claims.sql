-- When somebody became the first of staff by the code that the site had printed. Each of them has spent a code.
create table owner_claims (
    id bigint generated always as identity primary key,
    user_id bigint not null references users,
    claimed_at timestamptz not null
);
