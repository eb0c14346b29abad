-- Mail that is to be sent. A row is written with what it is about, in one transaction, and deleted when it is sent or
-- given up: it may hold a link that only its reader may see.
create table outbox (
    id bigint generated always as identity primary key,
    -- What it is about, for the log, such as password_reset.
    kind text not null,
    recipient text not null,
    subject text not null,
    body_text text not null,
    body_html text not null,
    created_at timestamptz not null,
    -- After this it is of no use, and not sent any more.
    expires_at timestamptz not null,
    -- The state of the pacer, after a first failure.
    pace jsonb,
    next_at timestamptz not null,
    -- Until when an instance is at it.
    leased_until timestamptz,
    -- True before the text is handed to the server: from then on it may have been delivered, and is not sent again.
    handed_over boolean not null default false
);
create index outbox_due on outbox (next_at);
