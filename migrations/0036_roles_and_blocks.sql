-- What staff may do, who is blocked, and when a session last gave its password (`src/web/visitor.rs`).
alter table users
    -- Of staff alone. Who was staff before there were roles is an owner.
    add column staff_role text not null default 'owner',
    -- Since when somebody may only read; null: they are not blocked.
    add column blocked_at timestamptz,
    -- Null: without an end.
    add column blocked_until timestamptz,
    -- For them to read.
    add column blocked_reason text,
    add constraint staff_role_is_known check (staff_role in ('moderator', 'admin', 'owner')),
    add constraint block_is_whole check (
        (blocked_at is null) = (blocked_reason is null) and (blocked_until is null or blocked_at is not null)
    );
create index users_blocked on users (id) where blocked_at is not null;
create index users_staff on users (id) where is_staff;

alter table sessions add column confirmed_at timestamptz;
