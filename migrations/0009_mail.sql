-- Outgoing mail. A row is written in the transaction of the action it is about, and deleted when it has been sent or has expired: it may
-- contain a link that only its recipient may see.
create table outbox (
    id bigint generated always as identity primary key,
    -- Kind of mail for the log, such as password_reset.
    kind text not null,
    recipient text not null,
    subject text not null,
    body_text text not null,
    body_html text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- State of the `Pacer` after a failed attempt.
    pace jsonb,
    next_at timestamptz not null,
    -- End of the lease of the instance that is sending it.
    leased_until timestamptz,
    -- Set before the text is handed to the mail server. The mail may have been delivered from then on, and is not sent again.
    handed_over boolean not null default false
);
create index outbox_due on outbox (next_at);
create index outbox_by_expiry on outbox (expires_at);
create index outbox_handed_over on outbox (id) where handed_over;
